// Runs fuzzing targets over files, without libFuzzer: the kept corpora as regression tests. Reads the files
// that it is given; a broken property ends it by abort(), with the file's name on standard error.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
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

/// Some bytes replaced, taken out, repeated, or taken from another input.
std::string changed(std::string bytes, const std::string& other, std::mt19937& random) {
  const auto below = [&](std::size_t end) { return end == 0 ? 0 : random() % end; };
  for (auto count = 1 + below(4); count > 0; --count) {
    const std::size_t at = below(bytes.size() + 1), size = 1 + below(below(2) == 0 ? 4 : 40);
    switch (below(5)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(below(256));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1U << below(8)));
        break;
      case 2:
        bytes.erase(at, size);
        break;
      case 3:
        bytes.insert(at, bytes.substr(below(bytes.size() + 1), size));
        break;
      default:
        bytes.insert(at, other.substr(below(other.size() + 1), size));
    }
  }
  return bytes;
}

/// Changed inputs for so many seconds, the same ones each time.
std::size_t change(Target target, const std::vector<std::string>& inputs, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::mt19937 random(20261123);
  std::size_t count = 0;
  for (; Clock::now() < end; ++count) {
    const auto& other = inputs[random() % inputs.size()];
    const std::string bytes = changed(inputs[random() % inputs.size()], other, random);
    std::ofstream("broken-input", std::ios::binary) << bytes;
    target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::filesystem::remove("broken-input");
  return count;
}

int replay(const std::string& name, const std::vector<std::string>& paths, double seconds) {
  const auto target = targets().find(name);
  if (target == targets().end()) {
    std::fprintf(stderr, "fuzz_replay: error: there is no target %s; see --list\n", name.c_str());
    return 2;
  }
  std::vector<std::string> inputs;
  for (const auto& path : paths)
    for (const auto& file : files_of(path)) {
      std::fprintf(stderr, "%s\n", file.c_str());  // the last one named is the one that broke it
      const std::string& bytes = inputs.emplace_back(support::read_file(file));
      target->second(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
  if (inputs.empty()) {
    std::fprintf(stderr, "fuzz_replay: error: there are no inputs for %s\n", name.c_str());
    return 1;
  }
  const std::size_t more = seconds > 0 ? change(target->second, inputs, seconds) : 0;
  std::printf("%s: %zu inputs, %zu changed ones\n", name.c_str(), inputs.size(), more);
  return 0;
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
    std::puts("usage: fuzz_replay TARGET FILE-OR-FOLDER... [--seconds N]\n       fuzz_replay --list");
    return words.size() == 1 && (words[0] == "-h" || words[0] == "--help") ? 0 : 2;
  }
  try {
    auto end = words.end();
    double seconds = 0;
    if (words.size() > 3 && *(end - 2) == "--seconds") {
      seconds = std::stod(words.back());
      end -= 2;
    }
    return fuzz::replay(words[0], {words.begin() + 1, end}, seconds);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "fuzz_replay: error: %s\n", problem.what());
    return 1;
  }
}
