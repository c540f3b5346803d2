// The patcher on a whole tree: a refusal, or the stock text with our blocks. The input is a list of changes
// to the lines of a small tree written by us (corsika-patches/test/sample_tree.h).
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "corsika-patches/patch.h"
#include "fuzz.hpp"
#include "sample_tree.h"

namespace fuzz::patch_tree {
namespace {

using namespace corsika_patches;

/// What stands for a word of the tree: what releases write otherwise, and what they never write.
constexpr std::array<const char*, 24> kWords{"UNI",
                                             "U(I97(JSEQ),JSEQ)",
                                             "JSEQ",
                                             "1",
                                             "97",
                                             "33",
                                             "0.D0",
                                             "1.D0",
                                             ".LT.",
                                             ".LE.",
                                             "==",
                                             "RVEC(IVEC)",
                                             "LENV",
                                             "ENDDO",
                                             "CONTINUE",
                                             "RETURN",
                                             "#if __OTHER__",
                                             "#else",
                                             "#endif",
                                             "!",
                                             "'",
                                             "&",
                                             "CALL RMMARD( RD,2,1 )",
                                             "COMMON /CRRANMA4/C,U"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// The word of a line that begins at or behind `at`, replaced.
void replace_word(std::string& line, std::size_t at, const std::string& word) {
  const std::size_t begin = line.find_first_not_of(' ', std::min(at, line.size()));
  if (begin == std::string::npos) return;
  const std::size_t end = std::min(line.find(' ', begin), line.size());
  line.replace(begin, end - begin, word);
}

void change(std::vector<std::string>& lines, fuzz::Input& input) {
  const auto action = input.byte() % 8;
  const std::size_t at = input.number(2) % lines.size();
  const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
  switch (action) {
    case 0:
      if (lines.size() > 1) lines.erase(place);
      break;
    case 1:
      lines.insert(place, std::string(*place));
      break;
    case 2:
      if (at + 1 < lines.size()) std::swap(*place, *(place + 1));
      break;
    case 3:
      lines.insert(place, input.line());
      break;
    case 4:
      lines.insert(place, std::string("      ") + kWords[input.byte() % kWords.size()]);
      break;
    case 5:
      for (char& c : *place)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      break;
    case 6:
      *place += '\r';
      break;
    default:
      replace_word(*place, input.byte(), kWords[input.byte() % kWords.size()]);
  }
}

std::string changed_source(fuzz::Input& input) {
  constexpr int kMost = 12;
  auto lines = lines_of(sample::main_source());
  for (int i = 0; i < kMost && !input.empty(); ++i) change(lines, input);
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

}  // namespace

FUZZ_TARGET(patch_tree) {
  static const std::filesystem::path tree = [] {
    sample::write_tree(fuzz::folder() / "tree");
    return fuzz::folder() / "tree";
  }();
  static const std::filesystem::path rules = sample::rules(fuzz::folder());
  const auto source = tree / "src/corsika.F";
  const std::string text = changed_source(input);
  sample::write(source, text);

  PatchOptions options;
  options.tree = tree;
  options.rules = {rules};
  PatchResult result;
  const auto refused = fuzz::refusal([&] { result = plan_patch(options); });
  fuzz::require(sample::read_file(source) == text, "the tree is not written to");
  if (refused) return;
  const auto file = result.texts.find("src/corsika.F");
  fuzz::require(file != result.texts.end(), "a patched tree has changed");
  fuzz::require(sample::without_blocks(file->second) == text, "the stock text stands in the patched one",
                file->second);
}

}  // namespace fuzz::patch_tree
