// overlay prove, bench and validate: gets the sources and starts the programs that stand beside this one.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "commands.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

/// Replaces this process by the program of that name beside ours. Throws support::Error where it is not built
/// or cannot start.
[[noreturn]] void exec_program(const std::string& program, const std::vector<std::string>& arguments) {
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

/// Fortran flags of both sides.
std::string fortran_flags(const std::string& flags) {
  if (flags == "tuned") return "-O2";
  return flags == "shipped" ? "-O0" : flags;
}

/// RMMARD and RMMAQD of a tree, compiled -O2 to a library that the benchmark can load.
std::filesystem::path tree_library(const SourceTree& tree, const std::filesystem::path& out) {
  const auto folder = out / "bench" / tree.id;
  auto library = folder / "rmmard.so";
  const auto result =
      support::run({.argv = {(program_folder() / "prove").string(), "--tree", tree.folder.string(), "--out",
                             folder.string(), "--library", library.string()}});
  if (result.status != 0) throw support::Error("the tree's RMMARD cannot be compiled: " + result.output);
  return library;
}

}  // namespace

std::filesystem::path program_folder() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path(".") : self.parent_path();
}

int run_prove(const ProveCommand& command) {
  const auto& request = command.request;
  if (command.cherenkov) {
    ProofOptions options = command.proof;
    options.jobs = request.jobs;
    return prove_cherenkov(request, options);
  }
  const auto out = std::filesystem::absolute(request.out).lexically_normal();
  const auto tree = obtain_source({request.corsika, out, request.sha256, request.known});
  exec_program("prove", {"--tree", tree.folder.string(), "--out", (out / "prove" / tree.id).string(),
                         "--draws", command.draws, "--flags=" + fortran_flags(request.flags)});
}

int run_bench(const BenchCommand& command) {
  const auto out = std::filesystem::absolute(command.out).lexically_normal();
  std::vector<std::string> arguments{"--out",         (out / "bench").string(), "--repeats", command.repeats,
                                     "--seconds",     command.seconds,          "--gpu",     command.gpu,
                                     "--gpu-repeats", command.gpu_repeats};
  if (!command.threads.empty()) arguments.insert(arguments.end(), {"--threads", command.threads});
  if (!command.largest.empty()) arguments.insert(arguments.end(), {"--largest", command.largest});
  if (!command.source.corsika.empty()) {
    auto source = command.source;
    source.out = out;
    const auto tree = obtain_source(source);
    arguments.insert(arguments.end(), {"--tree-library", tree_library(tree, out).string()});
  }
  exec_program("ranmar-bench", arguments);
}

int run_validate(const ValidateCommand& command) {
  refuse_output_in_tree(command.corsika, command.out, "--out");
  const auto out = std::filesystem::absolute(command.out).lexically_normal() / "validation";
  std::vector<std::string> arguments{"--out", out.string(), "--corsika", command.corsika};
  if (command.full) arguments.emplace_back("--full");
  if (command.list) arguments.emplace_back("--list");
  if (!command.only.empty()) arguments.insert(arguments.end(), {"--only", command.only});
  if (!command.jobs.empty()) arguments.insert(arguments.end(), {"--jobs", command.jobs});
  if (!command.known_answers.empty())
    arguments.insert(arguments.end(), {"--known-answers", command.known_answers.string()});
  exec_program("validate", arguments);
}

}  // namespace overlay
