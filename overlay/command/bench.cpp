// overlay bench: starts ranmar-bench, with the RMMARD of a tree beside our generator where a tree is given.
#include "commands.hpp"
#include "programs.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

// RMMARD and RMMAQD of a tree, compiled -O2 to a library that the benchmark can load.
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

}  // namespace overlay
