// Options of the commands of `overlay production` that make and check runs: what is read goes into the plain
// requests of production_work_commands.hpp. Includes CLI11, as options.cpp does.
#include "production_work_options.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "production_work_commands.hpp"

namespace overlay {
namespace {

/// A subcommand that runs `run` with a request of its own, once the whole command line is read.
template <class Request>
CLI::App& work_command(CLI::App& app, std::function<int()>& chosen, const char* name, const char* summary,
                       const std::shared_ptr<Request>& request, int (*run)(const Request&)) {
  auto* command = app.add_subcommand(name, summary);
  command->callback([&chosen, request, run] { chosen = [request, run] { return run(*request); }; });
  return *command;
}

void declare_place(CLI::App& command, std::filesystem::path& folder) {
  command.add_option("folder", folder, "the production's folder")->required()->type_name("DIR");
}

void declare_scratch(CLI::App& command, std::filesystem::path& scratch) {
  command
      .add_option("--scratch", scratch,
                  "folder on a local disk for run folders (default: $_CONDOR_SCRATCH_DIR, $SLURM_TMPDIR, "
                  "$TMPDIR, /tmp)")
      ->type_name("DIR");
}

void declare_run(CLI::App& production, std::function<int()>& chosen) {
  const auto request = std::make_shared<WorkRequest>();
  auto& command =
      work_command(production, chosen, "run",
                   "The work of one run; engines call it. Exit status: 0 done, 65 never will, 69 this "
                   "node's bits differ, 74 disk full, 75 try again",
                   request, run_production_run);
  declare_place(command, request->folder);
  command.add_option("run", request->run, "the run's number")->required()->type_name("RUN");
  declare_scratch(command, request->scratch);
}

/// Hidden: what a worker calls with other tunables in its environment.
void declare_libm_bits(CLI::App& production, std::function<int()>& chosen) {
  auto* command = production.add_subcommand("libm-bits", "");
  command->group("");
  command->callback([&chosen] { chosen = run_production_libm_bits; });
}

}  // namespace

void declare_production_work(CLI::App& production, std::function<int()>& chosen) {
  declare_run(production, chosen);
  declare_libm_bits(production, chosen);
}

}  // namespace overlay
