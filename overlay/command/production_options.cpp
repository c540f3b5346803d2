// Every option of `overlay production`: what is read goes into the plain requests of production_commands.hpp.
#include <fmt/format.h>

#include <charconv>

#include "options.hpp"
#include "production_commands.hpp"
#include "support/error.hpp"

namespace overlay {
namespace {

/// Declares the commands of `production`, each with a request of its own.
class Declarations {
 public:
  Declarations(CLI::App& production, std::function<int()>& chosen)
      : production_(production), chosen_(chosen) {}

  void declare_all() {
    declare_new();
    declare_emit();
    declare_status();
    declare_verify();
    declare_collect();
    declare_check();
    declare_run();
    declare_start();
    declare_audit();
    // What a worker calls with other tunables in its environment.
    Options(production_, chosen_, "libm-bits", "", run_production_libm_bits).hidden();
    declare_check_seeds();
  }

 private:
  template <class Request, class Run>
  Options command(const char* name, const char* summary, const std::shared_ptr<Request>& request, Run run) {
    Options options(production_, chosen_, name, summary, [request, run] { return run(*request); });
    if constexpr (requires { request->folder; })
      options.value("folder", request->folder, "DIR", "the production's folder", Takes::necessary);
    return options;
  }

  static void scratch(Options& options, std::filesystem::path& folder) {
    options.value("--scratch", folder, "DIR",
                  "folder on a local disk for run folders (default: $_CONDOR_SCRATCH_DIR, $SLURM_TMPDIR, "
                  "$TMPDIR, /tmp)");
  }

  void declare_new() {
    const auto request = std::make_shared<NewProduction>();
    auto options = command("new", "Plans a production: seeds, cards, programs in one folder", request,
                           run_production_new);
    declare_program(options, request->build);
    declare_showers(options, request->build);
    options.value("--runs", request->runs, "N", "runs of each setting", Takes::necessary)
        .value("--first-run", request->first_run, "N", "number of the first run; the others follow")
        .value("--zenith", request->zeniths, "DEGREES,...", "zenith angles in degrees: 20,30,40", Takes::list)
        .value("--atmosphere", request->atmospheres, "N,...", "numbers of atmosphere tables: 61,62",
               Takes::list)
        .value("--primary", request->primaries, "CODE,...", "CORSIKA's particle codes: 1,14,5626",
               Takes::list)
        .value("--seeds", request->seeds, "TEXT",
               "planned (own seeds for each run) or offsets (the same seeds, each run further on)")
        .value("--stride", request->stride, "N",
               "with --seeds offsets: numbers that a sequence of a run may draw")
        .value("--ledger", request->ledger, "FILE",
               "file that hands out seeds to all productions of a group (also $OVERLAY_LEDGER; default: "
               "~/.local/share/overlay/seeds.ledger)")
        .value("--processors", request->processors, "TEXT",
               "same (nodes whose last bits agree), pinned (libm's common variants on every node) or any");
  }

  void declare_emit() {
    const auto request = std::make_shared<EmitRequest>();
    command("emit", "Writes the files by which HTCondor, Slurm or this machine runs it", request,
            run_production_emit)
        .value("--for", request->engine, "ENGINE", "htcondor, slurm or local", Takes::necessary)
        .value("--memory", request->memory_mib, "MIB", "of a run, in MiB (default: 1.5 times the pilot's)")
        .value("--disk", request->disk_mib, "MIB", "of a run, in MiB (default: 1.5 times the pilot's)")
        .value("--time", request->minutes, "MINUTES", "of a run, in minutes (default: 4 times the pilot's)")
        .value("--line", request->lines, "TEXT",
               "a line for the engine's job file, as it is; may be repeated", Takes::many)
        .value("--retries", request->retries, "N", "htcondor: tries of a run after the first")
        .value("--avoid", request->avoid, "TEXT",
               "htcondor: after exit 69 a run goes to another machine, or just another slot")
        .value("--array-size", request->array_size, "N", "slurm: runs of one array, below its MaxArraySize");
  }

  void declare_status() {
    const auto request = std::make_shared<StatusRequest>();
    command("status", "What is done, at work, missing, rejected, poisoned", request, run_production_status)
        .value("--pending", request->pending, "N",
               "print the runs that are not done instead, as base and tasks of job arrays of N")
        .flag("--other-bits", request->other_bits,
              "print the hosts whose last bits differ instead, joined by commas");
  }

  void declare_verify() {
    const auto request = std::make_shared<VerifyRequest>();
    // As text: CLI11 takes a leading 0, which run numbers have in names of files, for an octal number's.
    command("verify", "Checks every file of every published run; sets wrong runs aside", request,
            run_production_verify)
        .text<std::vector<std::string>>(
            "--run",
            [request](const std::vector<std::string>& texts) {
              for (const auto& text : texts) request->runs.push_back(run_of_text(text));
            },
            "RUN", "only this run; 1 where it is not done and right; may be repeated", Takes::many)
        .flag("--quick", request->quick, "manifests and sizes, not checksums")
        .flag("--keep", request->keep, "leave wrong runs where they are");
  }

  void declare_collect() {
    const auto request = std::make_shared<CollectRequest>();
    command("collect", "One manifest of all runs; fails unless all are done", request, run_production_collect)
        .flag("--accept-partial", request->accept_partial, "collect what there is; the manifest says so")
        .flag("--digests", request->digests, "read all files, not just their sizes")
        .value("--list", request->list, "N", "write lists of files, of N runs each");
  }

  void declare_check() {
    const auto request = std::make_shared<PilotRequest>();
    auto options = command(
        "check",
        "Files, seeds, this node's class, disks, and a short run of each setting: what a run will need",
        request, [](const PilotRequest& asked) { return check_production(asked) ? 0 : 1; });
    options.value("--pilot-showers", request->showers, "N", "showers of a pilot run");
    scratch(options, request->scratch);
  }

  void declare_run() {
    const auto request = std::make_shared<WorkRequest>();
    auto options =
        command("run",
                "The work of one run; engines call it. Exit status: 0 done, 65 never will, 69 this "
                "node's bits differ, 74 disk full, 75 try again",
                request, run_production_run);
    options.value("run", request->run, "RUN", "the run's number", Takes::necessary);
    scratch(options, request->scratch);
  }

  void declare_start() {
    const auto request = std::make_shared<LocalRequest>();
    auto options =
        command("start", "Runs what is not done yet on this machine; may be stopped and called again",
                request, start_production);
    options.value("--jobs", request->jobs, "N", "runs at a time (default: all cores)")
        .value("--retries", request->retries, "N", "of a run that may yet succeed")
        .value("--most", request->most, "N", "end after so many runs (default: all)");
    scratch(options, request->scratch);
  }

  /// A share as a user gives it: 1% or 0.01. Throws support::Error where it is neither.
  static double read_share(const std::string& text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    const bool percent = read.ptr != end && *read.ptr == '%';
    if (read.ec != std::errc() || read.ptr + (percent ? 1 : 0) != end)
      throw support::Error("--elsewhere cannot be '{}'; give a share such as 1%", text);
    return percent ? value / 100 : value;
  }

  void declare_audit() {
    const auto request = std::make_shared<AuditRequest>();
    auto options = command(
        "audit",
        "Makes published runs again and compares bytes: with the stock program, or those of other nodes here",
        request, run_production_audit);
    options.value("--stock", request->stock, "N", "published runs to make again with the stock program")
        .text<std::string>(
            "--elsewhere", [request](const std::string& text) { request->elsewhere = read_share(text); },
            "SHARE%", "share of the published runs to make again here, of those made on other nodes: 1%")
        .value("--run", request->runs, "RUN,...", "audit these runs", Takes::list);
    scratch(options, request->scratch);
  }

  void declare_check_seeds() {
    const auto request = std::make_shared<CheckSeeds>();
    Options(production_, chosen_, "check-seeds",
            "Lists runs, of any production, that share random numbers; 1 where any do",
            [request] { return run_production_check_seeds(*request); })
        .value("files", request->files, "FILE...",
               "cards, logs, particle or telescope files, folders of them, or productions", Takes::files);
  }

  CLI::App& production_;
  std::function<int()>& chosen_;
};

}  // namespace

void declare_production(CLI::App& app, std::function<int()>& chosen) {
  auto& production = *app.add_subcommand(
      "production", "Thousands of runs on HTCondor, Slurm or this machine, each with its proof");
  production.require_subcommand(1);
  Declarations(production, chosen).declare_all();
}

}  // namespace overlay
