// Runs fuzzing targets over files, without libFuzzer: the kept corpora as regression tests. Reads the files
// that it is given; a broken property ends it by abort(), with the file's name on standard error.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fuzz.hpp"
#include "support/files.hpp"

namespace fuzz {
namespace {

std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

int replay(const std::string& name, const std::vector<std::string>& paths) {
  const auto target = targets().find(name);
  if (target == targets().end()) {
    std::fprintf(stderr, "fuzz_replay: error: there is no target %s; see --list\n", name.c_str());
    return 2;
  }
  std::size_t count = 0;
  for (const auto& path : paths)
    for (const auto& file : files_of(path)) {
      std::fprintf(stderr, "%s\n", file.c_str());  // the last one named is the one that broke it
      const std::string bytes = support::read_file(file);
      target->second(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++count;
    }
  std::printf("%s: %zu inputs\n", name.c_str(), count);
  return count > 0 ? 0 : 1;
}

}  // namespace

Registered::Registered(const char* name, Target target) { targets()[name] = target; }

}  // namespace fuzz

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--list") {
    for (const auto& [name, target] : fuzz::targets()) std::printf("%s\n", name.c_str());
    return 0;
  }
  if (words.size() < 2) {
    std::puts("usage: fuzz_replay TARGET FILE-OR-FOLDER...\n       fuzz_replay --list");
    return words.size() == 1 && (words[0] == "-h" || words[0] == "--help") ? 0 : 2;
  }
  try {
    return fuzz::replay(words[0], {words.begin() + 1, words.end()});
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "fuzz_replay: error: %s\n", problem.what());
    return 1;
  }
}
