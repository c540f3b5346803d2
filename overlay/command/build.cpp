// overlay build: builds what was asked for and prints where it is.
#include <fmt/format.h>

#include "commands.hpp"

namespace overlay {

int run_build(const BuildCommand& command) {
  if (!command.run_folder.empty())
    refuse_output_in_tree(command.request.corsika, command.run_folder, "--run-folder");
  const auto set = build_proven(command.request, command.builds);
  fmt::print("CORSIKA    {} (SHA-256 {})\n", set.corsika_version, set.sha256);
  fmt::print("profile    {}: {}\n", set.profile.name, set.profile.summary);
  fmt::print("options    {}\n", fmt::join(set.profile.options, " "));
  fmt::print("compilers  {}\n", set.compilers);
  for (const auto& [name, program] : set.programs)
    fmt::print("{:<10} {}\n           FFLAGS=\"{}\" CFLAGS=\"{}\"\n", name, program.executable.string(),
               program.fflags, program.cflags);
  if (!set.manifest.empty()) {
    fmt::print("Cherenkov stage: {}\n", set.cherenkov_stage.text());
    fmt::print("patched    as {} says; our own library is always optimised (-O3)\n", set.manifest.string());
  }
  if (!command.run_folder.empty()) {
    const auto& first = *set.programs.begin();
    const auto folder = prepare_run_dir(set, first.first, set.card, command.run_folder);
    fmt::print("run        cd {} && {} < card > log\n", folder.string(), first.second.executable.string());
  }
  return 0;
}

}  // namespace overlay
