#include <memory>

#include "commands.hpp"
#include "overlay/build/source.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

struct BenchOptions {
  overlay::SourceRequest source;
  std::filesystem::path out = "build/overlay";
  std::string repeats = "9";
  std::string seconds = "0.1";
  std::string threads;
  std::string largest;
  std::string gpu = "auto";
  std::string gpu_repeats = "21";
};

// RMMARD and RMMAQD of a tree, compiled -O2 to a library that the benchmark can load.
std::filesystem::path tree_library(const overlay::SourceTree& tree, const std::filesystem::path& out) {
  const auto folder = out / "bench" / tree.id;
  auto library = folder / "rmmard.so";
  const auto result =
      support::run({.argv = {(program_folder() / "prove").string(), "--tree", tree.folder.string(), "--out",
                             folder.string(), "--library", library.string()}});
  if (result.status != 0) throw support::Error("the tree's RMMARD cannot be compiled: " + result.output);
  return library;
}

}  // namespace

void add_bench(CLI::App& app) {
  auto* command = app.add_subcommand("bench", "The generator against its peers, in one run");
  auto options = std::make_shared<BenchOptions>();
  command
      ->add_option("--corsika", options->source.corsika, "tree or archive whose RMMARD is timed beside ours")
      ->type_name("PATH");
  command->add_option("--out", options->out, "folder for everything that is made")
      ->capture_default_str()
      ->type_name("DIR");
  command
      ->add_option("--repeats", options->repeats, "repetitions of each row of the CPU; a row is their median")
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "time of one repetition")->capture_default_str();
  command->add_option("--threads", options->threads, "most threads (default: all cores)");
  command->add_option("--largest", options->largest,
                      "largest request of the CPU's rows (default: 10^8 numbers)");
  command->add_option("--gpu", options->gpu, "rows of a CUDA device: auto (where there is one), on or off")
      ->capture_default_str();
  command->add_option("--gpu-repeats", options->gpu_repeats, "repetitions of each row of the device")
      ->capture_default_str();
  command->callback([options] {
    const auto out = std::filesystem::absolute(options->out).lexically_normal();
    std::vector<std::string> arguments{
        "--out",         (out / "bench").string(), "--repeats", options->repeats,
        "--seconds",     options->seconds,         "--gpu",     options->gpu,
        "--gpu-repeats", options->gpu_repeats};
    if (!options->threads.empty()) arguments.insert(arguments.end(), {"--threads", options->threads});
    if (!options->largest.empty()) arguments.insert(arguments.end(), {"--largest", options->largest});
    if (!options->source.corsika.empty()) {
      options->source.out = out;
      const auto tree = overlay::obtain_source(options->source);
      arguments.insert(arguments.end(), {"--tree-library", tree_library(tree, out).string()});
    }
    run_instead("ranmar-bench", arguments);
  });
}

}  // namespace overlay
