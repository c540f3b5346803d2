// Finds and starts the programs that stand beside this one.
#include "programs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {

std::filesystem::path program_folder() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path(".") : self.parent_path();
}

void exec_program(const std::string& program, const std::vector<std::string>& arguments) {
  const auto path = program_folder() / program;
  if (!support::find_program(path.string()))
    throw support::Error(fmt::format(
        "{} is not built; run scripts/overlay, or cmake --build --preset default", path.string()));
  std::vector<std::string> words{path.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  throw support::Error(fmt::format("cannot start {}: {}", path.string(), std::strerror(errno)));
}

}  // namespace overlay
