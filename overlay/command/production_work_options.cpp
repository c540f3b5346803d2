// Options of the commands of `overlay production` that make and check runs: what is read goes into the plain
// requests of production_work_commands.hpp. Includes CLI11, as options.cpp does.
#include "production_work_options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "production_options.hpp"
#include "production_work_commands.hpp"
#include "support/error.hpp"

namespace overlay {
namespace {

/// A share as a user gives it: 1% or 0.01. Throws support::Error where it is neither.
double read_share(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  const bool percent = read.ptr != end && *read.ptr == '%';
  if (read.ec != std::errc() || read.ptr + (percent ? 1 : 0) != end)
    throw support::Error("--elsewhere cannot be '" + text + "'; give a share such as 1%");
  return percent ? value / 100 : value;
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
      production_command(production, chosen, "run",
                         "The work of one run; engines call it. Exit status: 0 done, 65 never will, 69 this "
                         "node's bits differ, 74 disk full, 75 try again",
                         request, run_production_run);
  declare_folder(command, request->folder);
  command.add_option("run", request->run, "the run's number")->required()->type_name("RUN");
  declare_scratch(command, request->scratch);
}

void declare_start(CLI::App& production, std::function<int()>& chosen) {
  const auto request = std::make_shared<LocalRequest>();
  auto& command =
      production_command(production, chosen, "start",
                         "Runs what is not done yet on this machine; may be stopped and called again",
                         request, run_production_start);
  declare_folder(command, request->folder);
  command.add_option("--jobs", request->jobs, "runs at a time (default: all cores)")->type_name("N");
  command.add_option("--retries", request->retries, "of a run that may yet succeed")
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--most", request->most, "end after so many runs (default: all)")->type_name("N");
  declare_scratch(command, request->scratch);
}

void declare_check(CLI::App& production, std::function<int()>& chosen) {
  const auto request = std::make_shared<PilotRequest>();
  auto& command = production_command(
      production, chosen, "check",
      "Files, seeds, this node's class, disks, and a short run of each setting: what a run will need",
      request, run_production_check);
  declare_folder(command, request->folder);
  command.add_option("--pilot-showers", request->showers, "showers of a pilot run")
      ->capture_default_str()
      ->type_name("N");
  declare_scratch(command, request->scratch);
}

void declare_audit(CLI::App& production, std::function<int()>& chosen) {
  const auto request = std::make_shared<AuditRequest>();
  auto& command = production_command(
      production, chosen, "audit",
      "Makes published runs again and compares bytes: with the stock program, or those of other nodes here",
      request, run_production_audit);
  declare_folder(command, request->folder);
  command.add_option("--stock", request->stock, "published runs to make again with the stock program")
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--elsewhere", [request](const std::string& text) { request->elsewhere = read_share(text); },
          "share of the published runs to make again here, of those made on other nodes: 1%")
      ->type_name("SHARE%");
  command.add_option("--run", request->runs, "audit these runs")->delimiter(',')->type_name("RUN,...");
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
  declare_check(production, chosen);
  declare_run(production, chosen);
  declare_start(production, chosen);
  declare_audit(production, chosen);
  declare_libm_bits(production, chosen);
}

}  // namespace overlay
