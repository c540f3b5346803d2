// overlay build and install: make what was asked for and print where it is.
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

int run_install(const InstallRequest& request) {
  const auto installed = install(request, [&] { return build_proven(request.build, {"patched"}); });
  fmt::print("program    {}\n", installed.program.string());
  fmt::print("Cherenkov stage: {}\n", installed.cherenkov_stage);
  fmt::print("files      {}, listed in {}\n", installed.files,
             (installed.readme.parent_path() / "overlay-install.json").string());
  fmt::print("run        as {} says\n", installed.readme.string());
  return 0;
}

}  // namespace overlay
