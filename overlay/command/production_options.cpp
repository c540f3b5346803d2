// Every option of `overlay production`: what is read goes into the plain requests of production_commands.hpp.
// With options.cpp the only unit that includes CLI11.
#include "production_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "overlay/build/profile.hpp"
#include "production_commands.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {

void declare_proof(CLI::App& command, BuildRequest& request) {
  command.add_flag("!--no-prove,--prove", request.prove,
                   "no proof of the Cherenkov stage where the sources are not known: it stays off");
  command.add_option("--prove-steps", request.prove_steps, "steps with light in that proof")
      ->capture_default_str()
      ->type_name("N");
}

namespace {

/// What is built, and from what.
void declare_sources(CLI::App& command, BuildRequest& build) {
  command.add_option("--corsika", build.corsika, "CORSIKA 7 archive, unpacked tree, URL, or 'standin'")
      ->required()
      ->type_name("PATH");
  command
      .add_option("--profile", build.profile,
                  "shower run: " + support::join(list_profiles(), ", ") + ", or the path of a .toml")
      ->capture_default_str()
      ->type_name("NAME");
  command.add_option("--card", build.card, "your own input card instead of the profile's")->type_name("FILE");
  command.add_option("--flags", build.flags, "shipped, tuned (-O2), or compiler flags")
      ->capture_default_str();
  command.add_option("--gpu", build.gpu, "auto, on or off")->capture_default_str();
  command.add_option("--out", build.out, "folder for builds")->capture_default_str()->type_name("DIR");
  command
      .add_option("--atmosphere-dir", build.atmosphere_dir,
                  "folder with atmprofNN.dat (also $CORSIKA_ATMOSPHERES)")
      ->type_name("DIR");
  command.add_option("--sha256", build.sha256, "the archive's expected SHA-256 checksum")->type_name("HEX");
  command.add_option("--known", build.known, "your own list of releases and checksums")->type_name("FILE");
  command.add_option("--jobs", build.jobs, "processes of make (default: all processors)")->type_name("N");
  declare_proof(command, build);
}

void declare_new(CLI::App& app, std::function<int()>& chosen) {
  const auto request = std::make_shared<NewProduction>();
  auto& command =
      production_command(app, chosen, "new", "Plans a production: seeds, cards, programs in one folder",
                         request, run_production_new);
  declare_folder(command, request->folder);
  declare_sources(command, request->build);
  command.add_option("--runs", request->runs, "runs of each setting")->required()->type_name("N");
  command.add_option("--first-run", request->first_run, "number of the first run; the others follow")
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--showers", request->build.parameters.showers, "showers of each run")->type_name("N");
  command
      .add_option_function<std::string>(
          "--erange",
          [request](const std::string& text) { read_energy_range(text, request->build.parameters); },
          "energies in GeV: MIN,MAX or 'production' for the profile's whole range")
      ->type_name("MIN,MAX");
  command.add_option("--zenith", request->zeniths, "zenith angles in degrees: 20,30,40")
      ->delimiter(',')
      ->type_name("DEGREES,...");
  command.add_option("--atmosphere", request->atmospheres, "numbers of atmosphere tables: 61,62")
      ->delimiter(',')
      ->type_name("N,...");
  command.add_option("--primary", request->primaries, "CORSIKA's particle codes: 1,14,5626")
      ->delimiter(',')
      ->type_name("CODE,...");
  command
      .add_option("--seeds", request->seeds,
                  "planned (own seeds for each run) or offsets (the same seeds, each run further on)")
      ->capture_default_str();
  command
      .add_option("--stride", request->stride,
                  "with --seeds offsets: numbers that a sequence of a run may draw")
      ->type_name("N");
  command
      .add_option("--ledger", request->ledger,
                  "file that hands out seeds to all productions of a group (also $OVERLAY_LEDGER; default: "
                  "~/.local/share/overlay/seeds.ledger)")
      ->type_name("FILE");
  command
      .add_option("--processors", request->processors,
                  "same (nodes whose last bits agree), pinned (libm's common variants on every node) or any")
      ->capture_default_str();
}

void declare_emit(CLI::App& app, std::function<int()>& chosen) {
  const auto request = std::make_shared<EmitRequest>();
  auto& command = production_command(app, chosen, "emit",
                                     "Writes the files by which HTCondor, Slurm or this machine runs it",
                                     request, run_production_emit);
  declare_folder(command, request->folder);
  command.add_option("--for", request->engine, "htcondor, slurm or local")->required()->type_name("ENGINE");
  command.add_option("--memory", request->memory_mib, "of a run, in MiB (default: 1.5 times the pilot's)")
      ->type_name("MIB");
  command.add_option("--disk", request->disk_mib, "of a run, in MiB (default: 1.5 times the pilot's)")
      ->type_name("MIB");
  command.add_option("--time", request->minutes, "of a run, in minutes (default: 4 times the pilot's)")
      ->type_name("MINUTES");
  command.add_option("--line", request->lines, "a line for the engine's job file, as it is; may be repeated")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("TEXT");
  command.add_option("--retries", request->retries, "htcondor: tries of a run after the first")
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--avoid", request->avoid,
                  "htcondor: after exit 69 a run goes to another machine, or just another slot")
      ->capture_default_str();
  command
      .add_option("--dag-nodes", request->nodes_of_dag,
                  "htcondor: runs of one DAG; more become a DAG of DAGs")
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--array-size", request->array_size, "slurm: runs of one array, below its MaxArraySize")
      ->capture_default_str()
      ->type_name("N");
}

void declare_status(CLI::App& app, std::function<int()>& chosen) {
  const auto request = std::make_shared<StatusRequest>();
  auto& command =
      production_command(app, chosen, "status", "What is done, at work, missing, rejected, poisoned", request,
                         run_production_status);
  declare_folder(command, request->folder);
  command
      .add_option("--pending", request->pending,
                  "print the runs that are not done instead, as base and tasks of job arrays of N")
      ->type_name("N");
  command.add_flag("--other-bits", request->other_bits,
                   "print the hosts whose last bits differ instead, joined by commas");
}

void declare_verify(CLI::App& app, std::function<int()>& chosen) {
  const auto request = std::make_shared<VerifyRequest>();
  auto& command = production_command(app, chosen, "verify",
                                     "Checks every file of every published run; sets wrong runs aside",
                                     request, run_production_verify);
  declare_folder(command, request->folder);
  // As text: CLI11 takes a leading 0, which run numbers have in names of files, for an octal number's.
  command
      .add_option_function<std::vector<std::string>>(
          "--run",
          [request](const std::vector<std::string>& texts) {
            for (const auto& text : texts) request->runs.push_back(run_of_text(text));
          },
          "only this run; 1 where it is not done and right; may be repeated")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->type_name("RUN");
  command.add_flag("--quick", request->quick, "manifests and sizes, not checksums");
  command.add_flag("--keep", request->keep, "leave wrong runs where they are");
}

void declare_collect(CLI::App& app, std::function<int()>& chosen) {
  const auto request = std::make_shared<CollectRequest>();
  auto& command =
      production_command(app, chosen, "collect", "One manifest of all runs; fails unless all are done",
                         request, run_production_collect);
  declare_folder(command, request->folder);
  command.add_flag("--accept-partial", request->accept_partial,
                   "collect what there is; the manifest says so");
  command.add_flag("--digests", request->digests, "read all files, not just their sizes");
  command.add_option("--list", request->list, "write lists of files, of N runs each")->type_name("N");
}

void declare_check_seeds(CLI::App& app, std::function<int()>& chosen) {
  const auto request = std::make_shared<CheckSeeds>();
  auto& command = production_command(
      app, chosen, "check-seeds", "Lists runs, of any production, that share random numbers; 1 where any do",
      request, run_production_check_seeds);
  command
      .add_option("files", request->files,
                  "cards, logs, particle or telescope files, folders of them, or productions")
      ->required()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("FILE...");
}

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

CLI::App& add_subcommand(CLI::App& app, std::function<int()>& chosen, const char* name, const char* summary,
                         std::function<int()> run) {
  auto* command = app.add_subcommand(name, summary);
  command->callback([&chosen, run = std::move(run)] { chosen = run; });
  return *command;
}

void declare_folder(CLI::App& command, std::filesystem::path& folder) {
  command.add_option("folder", folder, "the production's folder")->required()->type_name("DIR");
}

void declare_production(CLI::App& app, std::function<int()>& chosen) {
  auto& production = *app.add_subcommand(
      "production", "Thousands of runs on HTCondor, Slurm or this machine, each with its proof");
  production.require_subcommand(1);
  declare_new(production, chosen);
  declare_emit(production, chosen);
  declare_status(production, chosen);
  declare_verify(production, chosen);
  declare_collect(production, chosen);
  declare_check(production, chosen);
  declare_run(production, chosen);
  declare_start(production, chosen);
  declare_audit(production, chosen);
  declare_libm_bits(production, chosen);
  declare_check_seeds(production, chosen);
}

}  // namespace overlay
