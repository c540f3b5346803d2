#include <fmt/format.h>

#include <memory>

#include "commands.hpp"

namespace overlay {

void add_build(CLI::App& app) {
  auto* command = app.add_subcommand("build", "Stock and patched CORSIKA, side by side, for one profile");
  auto options = std::make_shared<BuildOptions>();
  auto which = std::make_shared<std::vector<std::string>>(std::vector<std::string>{"stock", "patched"});
  options->add_to(*command);
  command
      ->add_option("--only", *which,
                   "builds to make, of " + fmt::format("{}", fmt::join(overlay::known_builds(), ", ")))
      ->delimiter(',');
  auto run_folder = std::make_shared<std::filesystem::path>();
  command
      ->add_option("--run-folder", *run_folder,
                   "also make a fresh folder with card and data files, to run a program in")
      ->type_name("DIR");
  command->callback([options, which, run_folder] {
    const auto set = overlay::build_profile(options->finish(), *which);
    fmt::print("CORSIKA    {} (SHA-256 {})\n", set.corsika_version, set.sha256);
    fmt::print("profile    {}: {}\n", set.profile.name, set.profile.summary);
    fmt::print("options    {}\n", fmt::join(set.profile.options, " "));
    fmt::print("compilers  {}\n", set.compilers);
    for (const auto& [name, program] : set.programs)
      fmt::print("{:<10} {}\n           FFLAGS=\"{}\" CFLAGS=\"{}\"\n", name, program.executable.string(),
                 program.fflags, program.cflags);
    if (!set.manifest.empty())
      fmt::print("patched    as {} says; our own library is always optimised (-O3)\n", set.manifest.string());
    if (!run_folder->empty()) {
      const auto& first = *set.programs.begin();
      const auto folder = overlay::prepare_run_dir(set, first.first, set.card, *run_folder);
      fmt::print("run        cd {} && {} < card > log\n", folder.string(), first.second.executable.string());
    }
  });
}

}  // namespace overlay
