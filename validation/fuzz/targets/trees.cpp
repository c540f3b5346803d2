// What the patcher reads: sources, whole trees.
#include <regex>

#include "corsika-patches/patch.h"
#include "corsika-patches/program_units.h"
#include "corsika-patches/recognise.h"
#include "corsika-patches/rules.h"
#include "corsika-patches/stage.h"
#include "corsika-patches/statement_text.h"
#include "corsika-patches/text.h"
#include "corsika-patches/tree.h"
#include "fuzz.hpp"
#include "overlay/build/source.hpp"
#include "sample_tree.h"

// The patcher's reading of fixed-form Fortran: lines, statements, conditionals, program units, routines of
// the generator and digests. The input is a source file.
namespace fuzz::fortran_source {
namespace {

using namespace corsika_patches;

void check_lines(const FixedFormSource& source) {
  const auto& text = source.text();
  std::string joined;
  for (int i = 0; i < text.line_count(); ++i) joined += text.raw_line(i);
  require(joined == text.bytes(), "the lines joined are the bytes");
  int before = -1;
  const int branches = static_cast<int>(source.branches().size());
  for (const auto& statement : source.statements()) {
    require(
        statement.first > before && statement.last >= statement.first && statement.last < text.line_count(),
        "statements stand one behind the other", statement.text);
    before = statement.first;
    require(statement.branch >= 0 && statement.branch < branches && source.within(statement.branch, 0),
            "a statement stands in a branch", statement.text);
  }
}

/// The same statements, where only what is no statement has changed.
void check_same(const FixedFormSource& a, const FixedFormSource& b, const char* property) {
  require(a.statements().size() == b.statements().size(), property);
  for (std::size_t i = 0; i < a.statements().size(); ++i)
    require(a.statements()[i].text == b.statements()[i].text &&
                a.statements()[i].label == b.statements()[i].label,
            property, a.statements()[i].text + "\n" + b.statements()[i].text);
}

void check_unit(const FixedFormSource& source, const ProgramUnit& unit) {
  require(body_digest(source, unit).size() == 64, "a digest is a SHA-256");
  refusal([&] { macros_around(source, unit); });
  for (const char* kind : {"function", "vector", "rmmard"})
    refusal([&] { recognise_ranmar(source, unit, kind, "input.f"); });
  refusal([&] { wrapped_arguments(source, unit, "input.f"); });
}

void check_units(const FixedFormSource& source) {
  const auto units = find_units(source);
  int before = -1;
  for (const auto& unit : units) {
    if (!unit.irregular.empty()) continue;
    require(unit.begin_line > before && unit.end_line >= unit.begin_line, "units stand one behind the other");
    before = unit.end_line;
    require(!unit.heads.empty() && unit.first_statement >= 0 && unit.end_statement >= unit.first_statement,
            "a regular unit has a head and an end");
    check_unit(source, unit);
  }
}

}  // namespace

FUZZ_TARGET(fortran_source) {
  const std::string text = input.rest();
  const FixedFormSource source{TextFile(text)};
  check_lines(source);
  if (text.find('\r') == std::string::npos)
    check_same(source, FixedFormSource{TextFile(std::regex_replace(text, std::regex("\n"), "\r\n"))},
               "CRLF line ends change no statement");
  check_same(source, FixedFormSource{TextFile("C a comment\n" + text)},
             "a comment in front changes no statement");
  for (const auto& branch : source.branches()) refusal([&] { holds(branch.condition, {}); });
  Declarations declared;
  for (const auto& statement : source.statements()) {
    parse_head(statement.text);
    identifiers(statement.text);
    if (is_specification(statement.text)) declared.add(statement.text);
  }
  header_blocks(source);
  check_units(source);
}

}  // namespace fuzz::fortran_source

// The patcher on a whole tree: a refusal, or the stock text with our blocks. The input is a list of changes
// to the lines of the stand-in (corsika-patches/test/sample_tree.h).
namespace fuzz::patch_tree {
namespace {

using namespace corsika_patches;

/// Another line in the place of one, or before it.
void change(std::vector<std::string>& lines, Input& input) {
  const bool inserts = input.byte() % 2 == 1;
  const auto place = lines.begin() + static_cast<std::ptrdiff_t>(input.number(2) % lines.size());
  if (inserts)
    lines.insert(place, input.line());
  else
    *place = input.line();
}

std::string changed_source(Input& input) {
  constexpr int kMost = 12;
  std::vector<std::string> lines;
  const std::string stock = sample::standin();
  for (Input left(stock); !left.empty();) lines.push_back(left.line());
  for (int i = 0; i < kMost && !input.empty(); ++i) change(lines, input);
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

}  // namespace

FUZZ_TARGET(patch_tree) {
  static const std::filesystem::path tree = [] {
    sample::write_tree(scratch() / "tree");
    return scratch() / "tree";
  }();
  const auto source = tree / "src/corsika.F";
  const std::string text = changed_source(input);
  sample::write(source, text);

  PatchOptions options;
  options.tree = tree;
  options.rules = {default_rules()};
  PatchResult result;
  const auto refused = refusal([&] { result = plan_patch(options); });
  require(sample::read_file(source) == text, "the tree is not written to");
  if (refused) return;
  const auto file = result.texts.find("src/corsika.F");
  require(file != result.texts.end(), "a patched tree has changed");
  require(sample::without_blocks(file->second) == text, "the stock text stands in the patched one",
          file->second);
}

}  // namespace fuzz::patch_tree

// What is read of a user's tree beside its sources: the selected options, the release. The input's first byte
// says which file the rest is.
namespace fuzz::tree_files {
namespace {

void release(const char* name, const std::string& text) {
  for (const char* each : {"configure.ac", "VERSION", "src/corsika.F"})
    std::filesystem::remove(scratch() / each);
  std::filesystem::create_directories(scratch() / "src");
  scratch_file(name, text);
  std::string found;
  if (refusal([&] { found = corsika_patches::read_release(scratch()); })) return;
  require(found.empty() || (found >= "7.4" && found < "7.9"),
          "a release that is taken is one from 7.4 to 7.8", found);
}

}  // namespace

FUZZ_TARGET(tree_files) {
  const int kind = input.byte();
  const std::string text = input.rest();
  switch (kind) {
    case 'o':
      std::filesystem::create_directories(scratch() / "include");
      scratch_file("include/config.h", text);
      for (const auto& option : overlay::selected_options(scratch()))
        require(!option.empty(), "a selected option has a name");
      return;
    case 'a':
      return release("configure.ac", text);
    case 'v':
      return release("VERSION", text);
    default:
      return release("src/corsika.F", text);
  }
}

}  // namespace fuzz::tree_files
