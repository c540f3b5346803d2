// Every subcommand and every option of overlay, and nothing else: what is read goes into the plain requests
// of commands.hpp. Units that include CLI11 are few: its headers take most of a unit's compile time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "command_pages.hpp"
#include "commands.hpp"
#include "overlay/build/steps.hpp"
#include "production_options.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

/// A page about the options, printed instead of running a command.
enum class Page { none, man, completion };

/// What the command line says: a request for each command, and the command to run.
struct CommandLine {
  Page page = Page::none;
  BuildCommand build;
  CompareRequest compare;
  InstallRequest install;
  PatchCommand patch;
  ProveCommand prove;
  BenchCommand bench;
  ValidateCommand validate;
  std::filesystem::path doctor_out = "build/overlay";
  std::string step;
  std::filesystem::path step_folder;
  std::function<int()> chosen;
};

/// A subcommand that runs `command` once the whole command line is read.
CLI::App& subcommand(CLI::App& app, CommandLine& line, const char* name, const char* summary,
                     std::function<int()> command) {
  auto* result = app.add_subcommand(name, summary);
  result->callback([&line, command = std::move(command)] { line.chosen = command; });
  return *result;
}

/// An option with a value. What it is without being given is shown where it is something.
template <class T>
CLI::Option* add(CLI::App& command, const char* name, T& value, const char* type, const std::string& help) {
  auto* option = command.add_option(name, value, help)->type_name(type);
  return value == T{} ? option : option->capture_default_str();
}

/// Where sources come from, how an archive is checked, and where everything goes.
template <class Path>
void declare_sources(CLI::App& command, std::string& corsika, std::string& sha256, Path& known,
                     std::filesystem::path& out) {
  add(command, "--corsika", corsika, "PATH", "CORSIKA 7 archive, unpacked tree, URL, or 'standin'")
      ->required();
  add(command, "--sha256", sha256, "HEX", "the archive's expected SHA-256 checksum");
  add(command, "--known", known, "FILE", "your own list of releases and checksums");
  add(command, "--out", out, "DIR", "folder for everything that is made");
}

/// The program: sources, options, flags.
void declare_program(CLI::App& command, BuildRequest& request) {
  declare_sources(command, request.corsika, request.sha256, request.known, request.out);
  add(command, "--profile", request.profile, "NAME",
      "shower run: " + support::join(list_profiles(), ", ") + ", or the path of a .toml");
  add(command, "--flags", request.flags, "TEXT",
      "shipped (CORSIKA's own: no optimisation), tuned (-O2), or compiler flags");
  add(command, "--gpu", request.gpu, "TEXT", "auto, on or off");
  add(command, "--card", request.card, "FILE",
      "your own input card instead of the profile's; --showers changes its NSHOW");
  add(command, "--atmosphere", request.parameters.atmosphere, "N",
      "number of the atmosphere table: 61 (VERITAS winter), 62 (summer), or the package's");
  add(command, "--atmosphere-dir", request.atmosphere_dir, "DIR",
      "folder with atmprofNN.dat (also $CORSIKA_ATMOSPHERES)");
  add(command, "--jobs", request.jobs, "N", "processes of make (default: all processors)");
}

/// What `build`, `install` and `compare` share.
void declare_build_request(CLI::App& command, BuildRequest& request) {
  auto& parameters = request.parameters;
  declare_program(command, request);
  declare_proof(command, request);
  add(command, "--showers", parameters.showers, "N", "number of showers");
  command
      .add_option_function<std::string>(
          "--erange", [&parameters](const std::string& text) { read_energy_range(text, parameters); },
          "energies in GeV: MIN,MAX or 'production' for the profile's whole range")
      ->type_name("MIN,MAX");
  add(command, "--zenith", parameters.zenith, "DEGREES", "zenith angle in degrees");
  add(command, "--seed", parameters.seed, "N", "first seed; the others follow");
}

void declare_build(CLI::App& app, CommandLine& line) {
  auto& build = line.build;
  auto& command = subcommand(app, line, "build", "Stock and patched CORSIKA, side by side, for one profile",
                             [&line] { return run_build(line.build); });
  declare_build_request(command, build.request);
  add(command, "--only", build.builds, "NAME,...",
      "builds to make, of " + support::join(known_builds(), ", "))
      ->delimiter(',')
      ->default_str("");
  add(command, "--run-folder", build.run_folder, "DIR",
      "also make a fresh folder with card and data files, to run a program in");
}

void declare_compare(CLI::App& app, CommandLine& line) {
  auto& options = line.compare.options;
  auto& command =
      subcommand(app, line, "compare", "Builds, runs both, checks identity, profiles, writes the report",
                 [&line] { return run_compare(line.compare); });
  declare_build_request(command, line.compare.build);
  command.add_flag(
      "--quick", options.quick,
      "identity and a first gain in about two minutes: one pair of runs, at most 3 showers, no profiles");
  add(command, "--repeats", options.repeats, "N", "pairs of timed runs (default: 5; 1 with --quick)");
  add(command, "--parts-repeats", options.parts_repeats, "N",
      "of these pairs, how many also run each part of the overlay alone (default: 2; 1 with --quick; 0: "
      "none)");
  add(command, "--backend", options.backend, "NAME",
      "of the patched program: auto, reference, simd, cuda, opencl");
  add(command, "--cherenkov", options.cherenkov, "NAME",
      "the patched program's Cherenkov stage: auto, cpu, thread (cpu with a helper thread), gpu; off: the "
      "generator "
      "alone");
  add(command, "--sampled-repeats", options.sampled_repeats, "N",
      "pairs of runs under the CPU sampler (default: as many as --repeats; 0 with --quick)");
  add(command, "--shipped-repeats", options.shipped_repeats, "N",
      "runs of stock with CORSIKA's own flags (default: 1; 0 with --quick)");
  command.add_flag("!--no-gprof", options.gprof, "leave out the runs of the gprof builds");
  add(command, "--gprof-showers", options.gprof_showers, "N",
      "showers in the gprof runs (default: as in the others)");
  command.add_flag("--warm-up", options.warm_up, "one uncounted run of each program first");
  add(command, "--core", options.core, "N", "pin every run to this core");
  add(command, "--timeout", options.timeout_s, "SECONDS",
      "limit of a run (default: 20 times stock's, at least 2 minutes; none for the first stock run)");
  command.add_flag("--keep", options.keep, "keep the outputs of all runs, not just of the first pair");
  command.add_flag("--print", options.print, "print the report too");
  add(command, "--categories", options.categories, "FILE",
      "your own list of categories of CPU time, as overlay/data/categories.json");
  add(command, "--report", options.report, "DIR", "folder of the report (default: report in --out)");
}

void declare_install(CLI::App& app, CommandLine& line) {
  auto& command =
      subcommand(app, line, "install", "The patched program with its data, in a folder that may be moved",
                 [&line] { return run_install(line.install); });
  declare_build_request(command, line.install.build);
  add(command, "--prefix", line.install.prefix, "DIR",
      "folder to install in; only files of ours are replaced there")
      ->required();
}

void declare_patch(CLI::App& app, CommandLine& line) {
  auto& patch = line.patch;
  auto& command = subcommand(app, line, "patch", "Patches a copy of the sources, or shows the unified diff",
                             [&line] { return run_patch(line.patch); });
  declare_sources(command, patch.source.corsika, patch.source.sha256, patch.source.known, patch.out);
  command.add_flag("--dry-run", patch.dry_run, "print the unified diff and write nothing");
}

void declare_prove(CLI::App& app, CommandLine& line) {
  auto& prove = line.prove;
  auto& command =
      subcommand(app, line, "prove",
                 "Every replaced routine against the stock body compiled from a tree; or the Cherenkov stage",
                 [&line] { return run_prove(line.prove); });
  declare_program(command, prove.request);
  add(command, "--draws", prove.draws, "N", "draws of each variant of options");
  command.add_flag(
      "--cherenkov", prove.cherenkov,
      "the Cherenkov stage: many short runs in which the program compares it with CORSIKA step by step; "
      "--jobs of them at a time");
  add(command, "--steps", prove.proof.steps, "N", "with --cherenkov: steps with light, in sum");
  add(command, "--run-timeout", prove.proof.timeout_s, "SECONDS", "with --cherenkov: limit of a run");
}

void declare_bench(CLI::App& app, CommandLine& line) {
  auto& bench = line.bench;
  auto& command = subcommand(app, line, "bench", "The generator against its peers, in one run",
                             [&line] { return run_bench(line.bench); });
  add(command, "--corsika", bench.source.corsika, "PATH",
      "tree or archive whose RMMARD is timed beside ours");
  add(command, "--out", bench.out, "DIR", "folder for everything that is made");
  add(command, "--repeats", bench.repeats, "N", "repetitions of each row of the CPU; a row is their median");
  add(command, "--seconds", bench.seconds, "SECONDS", "time of one repetition");
  add(command, "--threads", bench.threads, "N", "most threads (default: all cores)");
  add(command, "--largest", bench.largest, "N", "largest request of the CPU's rows (default: 10^8 numbers)");
  add(command, "--gpu", bench.gpu, "TEXT",
      "rows of a CUDA and of an OpenCL device: auto (where there is one), on or off");
  add(command, "--gpu-repeats", bench.gpu_repeats, "N", "repetitions of each row of the device");
}

void declare_validate(CLI::App& app, CommandLine& line) {
  auto& validate = line.validate;
  auto& command =
      subcommand(app, line, "validate", "Every claim checked, in some minutes, with a page of results",
                 [&line] { return run_validate(line.validate); });
  add(command, "--corsika", validate.corsika, "PATH", "program whose outputs are compared: as for compare");
  add(command, "--out", validate.out, "DIR", "folder for everything that is made");
  command.add_flag("--full", validate.full,
                   "long runs, a day or two; called again, it goes on where it was stopped");
  add(command, "--only", validate.only, "PREFIX", "only the checks whose names begin so; see --list");
  add(command, "--jobs", validate.jobs, "N", "checks at a time (default: 1)");
  command.add_flag("--list", validate.list, "print the checks and their commands, run nothing");
  add(command, "--known-answers", validate.known_answers, "FILE", "your own file of known answers");
}

void declare_doctor(CLI::App& app, CommandLine& line) {
  auto& command = subcommand(app, line, "doctor", "What this machine has and lacks",
                             [&line] { return run_doctor(line.doctor_out); });
  add(command, "--out", line.doctor_out, "DIR", "folder whose disk is looked at");
}

/// Hidden: what the superbuild calls.
void declare_step(CLI::App& app, CommandLine& line) {
  auto& command = subcommand(app, line, "step", "", [&line] {
    run_step(line.step, line.step_folder);
    return 0;
  });
  command.group("");
  command.add_option("step", line.step)->required();
  command.add_option("folder", line.step_folder)->required();
}

void declare_all(CLI::App& app, CommandLine& line) {
  app.require_subcommand(0, 1);
  // Given twice, an option's last value counts: a script's choice can be changed behind it.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_version_flag("--version", OVERLAY_VERSION);
  app.footer("Everything made goes under build/overlay, or where --out DIR says. Start with: overlay doctor");
  app.add_flag_callback(
         "--man", [&line] { line.page = Page::man; }, "print the manual page")
      ->group("");
  app.add_flag_callback(
         "--bash-completion", [&line] { line.page = Page::completion; }, "print the completion of bash")
      ->group("");
  declare_build(app, line);
  declare_compare(app, line);
  declare_install(app, line);
  declare_patch(app, line);
  declare_prove(app, line);
  declare_bench(app, line);
  declare_validate(app, line);
  declare_doctor(app, line);
  declare_production(app, line.chosen);
  declare_step(app, line);
}

int run_chosen(const CLI::App& app, const CommandLine& line) {
  if (line.page != Page::none) {
    fmt::print("{}", line.page == Page::man ? manual_page(app, OVERLAY_VERSION) : bash_completion(app));
    return 0;
  }
  if (line.chosen) return line.chosen();
  fmt::print(stderr, "overlay: error: a command is missing; see overlay --help\n");
  return 2;
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  CommandLine line;
  CLI::App app{"Patches, builds, runs and compares CORSIKA 7: the same bytes in less time.", "overlay"};
  declare_all(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& problem) {
    const std::string what = problem.what();
    fmt::print(stderr, "overlay: error: {}; see overlay --help\n", what.substr(0, what.find('\n')));
    return 2;
  }
  return run_chosen(app, line);
}

}  // namespace overlay
