// Every subcommand and every option of overlay, and nothing else: what is read goes into the plain requests
// of commands.hpp. With production_options.cpp the only unit that includes CLI11, whose headers take most of
// a unit's compile time.
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

void declare_out(CLI::App& command, std::filesystem::path& out, const char* help) {
  command.add_option("--out", out, help)->capture_default_str()->type_name("DIR");
}

CLI::Option* declare_corsika(CLI::App& command, std::string& corsika) {
  return command.add_option("--corsika", corsika, "CORSIKA 7 archive, unpacked tree, URL, or 'standin'")
      ->type_name("PATH");
}

/// How the archive is checked.
template <class Request>
void declare_checksums(CLI::App& command, Request& request) {
  command.add_option("--sha256", request.sha256, "the archive's expected SHA-256 checksum")->type_name("HEX");
  command.add_option("--known", request.known, "your own list of releases and checksums")->type_name("FILE");
}

/// The program: sources, options, flags.
void declare_program(CLI::App& command, BuildRequest& request) {
  declare_corsika(command, request.corsika)->required();
  command
      .add_option("--profile", request.profile,
                  "shower run: " + support::join(list_profiles(), ", ") + ", or the path of a .toml")
      ->capture_default_str()
      ->type_name("NAME");
  command
      .add_option("--flags", request.flags,
                  "shipped (CORSIKA's own: no optimisation), tuned (-O2), or compiler flags")
      ->capture_default_str();
  command.add_option("--gpu", request.gpu, "auto, on or off")->capture_default_str();
  declare_out(command, request.out, "folder for everything that is made");
  command
      .add_option("--card", request.card,
                  "your own input card instead of the profile's; --showers changes its NSHOW")
      ->type_name("FILE");
  command
      .add_option("--atmosphere", request.parameters.atmosphere,
                  "number of the atmosphere table: 61 (VERITAS winter), 62 (summer), or the package's")
      ->type_name("N");
  command
      .add_option("--atmosphere-dir", request.atmosphere_dir,
                  "folder with atmprofNN.dat (also $CORSIKA_ATMOSPHERES)")
      ->type_name("DIR");
  declare_checksums(command, request);
  command.add_option("--jobs", request.jobs, "processes of make (default: all processors)")->type_name("N");
}

/// What `build`, `install` and `compare` share.
void declare_build_request(CLI::App& command, BuildRequest& request) {
  auto& parameters = request.parameters;
  declare_program(command, request);
  declare_proof(command, request);
  command.add_option("--showers", parameters.showers, "number of showers")->type_name("N");
  command
      .add_option_function<std::string>(
          "--erange", [&parameters](const std::string& text) { read_energy_range(text, parameters); },
          "energies in GeV: MIN,MAX or 'production' for the profile's whole range")
      ->type_name("MIN,MAX");
  command.add_option("--zenith", parameters.zenith, "zenith angle in degrees")->type_name("DEGREES");
  command.add_option("--seed", parameters.seed, "first seed; the others follow")->type_name("N");
}

void declare_build(CLI::App& app, CommandLine& line) {
  auto& command = subcommand(app, line, "build", "Stock and patched CORSIKA, side by side, for one profile",
                             [&line] { return run_build(line.build); });
  declare_build_request(command, line.build.request);
  command
      .add_option("--only", line.build.builds, "builds to make, of " + support::join(known_builds(), ", "))
      ->delimiter(',')
      ->type_name("NAME,...");
  command
      .add_option("--run-folder", line.build.run_folder,
                  "also make a fresh folder with card and data files, to run a program in")
      ->type_name("DIR");
}

/// The options of `compare` that say what is run, and how often.
void declare_runs(CLI::App& command, CompareOptions& options) {
  command.add_flag(
      "--quick", options.quick,
      "identity and a first gain in about two minutes: one pair of runs, at most 3 showers, no profiles");
  command.add_option("--repeats", options.repeats, "pairs of timed runs (default: 5; 1 with --quick)")
      ->type_name("N");
  command
      .add_option(
          "--parts-repeats", options.parts_repeats,
          "of these pairs, how many also run each part of the overlay alone (default: 2; 1 with --quick; "
          "0: none)")
      ->type_name("N");
  command
      .add_option("--backend", options.backend, "of the patched program: auto, reference, simd, cuda, opencl")
      ->capture_default_str()
      ->type_name("NAME");
  command
      .add_option("--cherenkov", options.cherenkov,
                  "the patched program's Cherenkov stage: auto, cpu, gpu; off: the generator alone")
      ->capture_default_str()
      ->type_name("NAME");
  command
      .add_option("--sampled-repeats", options.sampled_repeats,
                  "pairs of runs under the CPU sampler (default: as many as --repeats; 0 with --quick)")
      ->type_name("N");
  command
      .add_option("--shipped-repeats", options.shipped_repeats,
                  "runs of stock with CORSIKA's own flags (default: 1; 0 with --quick)")
      ->type_name("N");
  command.add_flag_callback(
      "--no-gprof", [&options] { options.gprof = false; }, "leave out the runs of the gprof builds");
  command
      .add_option("--gprof-showers", options.gprof_showers,
                  "showers in the gprof runs (default: as in the others)")
      ->type_name("N");
  command.add_flag("--warm-up", options.warm_up, "one uncounted run of each program first");
  command.add_option("--core", options.core, "pin every run to this core")->type_name("N");
  command
      .add_option(
          "--timeout", options.timeout_s,
          "limit of a run (default: 20 times stock's, at least 2 minutes; none for the first stock run)")
      ->type_name("SECONDS");
}

void declare_compare(CLI::App& app, CommandLine& line) {
  auto& options = line.compare.options;
  auto& command =
      subcommand(app, line, "compare", "Builds, runs both, checks identity, profiles, writes the report",
                 [&line] { return run_compare_command(line.compare); });
  declare_build_request(command, line.compare.build);
  declare_runs(command, options);
  command.add_flag("--keep", options.keep, "keep the outputs of all runs, not just of the first pair");
  command.add_flag("--print", options.print, "print the report too");
  command
      .add_option("--categories", options.categories,
                  "your own list of categories of CPU time, as overlay/data/categories.json")
      ->type_name("FILE");
  command.add_option("--report", options.report, "folder of the report (default: report in --out)")
      ->type_name("DIR");
}

void declare_install(CLI::App& app, CommandLine& line) {
  auto& command =
      subcommand(app, line, "install", "The patched program with its data, in a folder that may be moved",
                 [&line] { return run_install(line.install); });
  declare_build_request(command, line.install.build);
  command
      .add_option("--prefix", line.install.prefix,
                  "folder to install in; only files of ours are replaced there")
      ->required()
      ->type_name("DIR");
}

void declare_patch(CLI::App& app, CommandLine& line) {
  auto& patch = line.patch;
  auto& command = subcommand(app, line, "patch", "Patches a copy of the sources, or shows the unified diff",
                             [&line] { return run_patch(line.patch); });
  declare_corsika(command, patch.source.corsika)->required();
  declare_out(command, patch.out, "folder for the patched copy");
  declare_checksums(command, patch.source);
  command.add_flag("--dry-run", patch.dry_run, "print the unified diff and write nothing");
}

void declare_prove(CLI::App& app, CommandLine& line) {
  auto& prove = line.prove;
  auto& command =
      subcommand(app, line, "prove",
                 "Every replaced routine against the stock body compiled from a tree; or the Cherenkov stage",
                 [&line] { return run_prove(line.prove); });
  declare_program(command, prove.request);
  command.add_option("--draws", prove.draws, "draws of each variant of options")
      ->capture_default_str()
      ->type_name("N");
  command.add_flag(
      "--cherenkov", prove.cherenkov,
      "the Cherenkov stage: many short runs in which the program compares it with CORSIKA step by step; "
      "--jobs of them at a time");
  command.add_option("--steps", prove.proof.steps, "with --cherenkov: steps with light, in sum")
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--run-timeout", prove.proof.timeout_s, "with --cherenkov: limit of a run")
      ->capture_default_str()
      ->type_name("SECONDS");
}

void declare_bench(CLI::App& app, CommandLine& line) {
  auto& bench = line.bench;
  auto& command = subcommand(app, line, "bench", "The generator against its peers, in one run",
                             [&line] { return run_bench(line.bench); });
  command.add_option("--corsika", bench.source.corsika, "tree or archive whose RMMARD is timed beside ours")
      ->type_name("PATH");
  declare_out(command, bench.out, "folder for everything that is made");
  command.add_option("--repeats", bench.repeats, "repetitions of each row of the CPU; a row is their median")
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--seconds", bench.seconds, "time of one repetition")
      ->capture_default_str()
      ->type_name("SECONDS");
  command.add_option("--threads", bench.threads, "most threads (default: all cores)")->type_name("N");
  command.add_option("--largest", bench.largest, "largest request of the CPU's rows (default: 10^8 numbers)")
      ->type_name("N");
  command
      .add_option("--gpu", bench.gpu,
                  "rows of a CUDA and of an OpenCL device: auto (where there is one), on or off")
      ->capture_default_str();
  command.add_option("--gpu-repeats", bench.gpu_repeats, "repetitions of each row of the device")
      ->capture_default_str()
      ->type_name("N");
}

void declare_validate(CLI::App& app, CommandLine& line) {
  auto& validate = line.validate;
  auto& command =
      subcommand(app, line, "validate", "Every claim checked, in some minutes, with a page of results",
                 [&line] { return run_validate(line.validate); });
  command.add_option("--corsika", validate.corsika, "program whose outputs are compared: as for compare")
      ->capture_default_str()
      ->type_name("PATH");
  declare_out(command, validate.out, "folder for everything that is made");
  command.add_flag("--full", validate.full,
                   "long runs, a day or two; called again, it goes on where it was stopped");
  command.add_option("--only", validate.only, "only the checks whose names begin so; see --list")
      ->type_name("PREFIX");
  command.add_option("--jobs", validate.jobs, "checks at a time (default: 1)")->type_name("N");
  command.add_flag("--list", validate.list, "print the checks and their commands, run nothing");
  command.add_option("--known-answers", validate.known_answers, "your own file of known answers")
      ->type_name("FILE");
}

void declare_doctor(CLI::App& app, CommandLine& line) {
  auto& command = subcommand(app, line, "doctor", "What this machine has and lacks",
                             [&line] { return run_doctor(line.doctor_out); });
  declare_out(command, line.doctor_out, "folder whose disk is looked at");
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

/// The declarations as plain data; hidden commands and options are left out.
CommandDescription describe(const CLI::App& app) {
  CommandDescription result{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty() || option->get_lnames().empty()) continue;
    const bool takes_value = option->get_expected_max() > 0 && option->get_type_size() > 0;
    result.options.push_back({"--" + option->get_lnames().front(),
                              option->get_snames().empty() ? "" : "-" + option->get_snames().front(),
                              takes_value ? option->get_type_name() : "", option->get_default_str(),
                              option->get_description(), option->get_required()});
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) result.commands.push_back(describe(*command));
  return result;
}

int run_chosen(const CLI::App& app, const CommandLine& line) {
  if (line.page != Page::none) {
    const auto program = describe(app);
    fmt::print("{}",
               line.page == Page::man ? manual_page(program, OVERLAY_VERSION) : bash_completion(program));
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
