// overlay, the program that a person types: every option of every command but those of `production`. What is
// read goes into the plain requests of commands.hpp.
#include "options.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "commands.hpp"
#include "overlay/build/steps.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

using Chosen = std::function<int()>;

constexpr const char* kCorsika = "CORSIKA 7 archive, unpacked tree, URL, or 'standin'";
constexpr const char* kOut = "folder for everything that is made";

/// Where sources come from, how an archive is checked, and where everything goes.
template <class Request>
void declare_sources(Options& options, Request& request) {
  options.value("--corsika", request.corsika, "PATH", kCorsika, Takes::necessary)
      .value("--sha256", request.sha256, "HEX", "the archive's expected SHA-256 checksum")
      .value("--known", request.known, "FILE", "your own list of releases and checksums")
      .value("--out", request.out, "DIR", kOut);
}

void declare_atmosphere(Options& options, BuildRequest& request) {
  options.value("--atmosphere", request.parameters.atmosphere, "N",
                "number of the atmosphere table: 61 (VERITAS winter), 62 (summer), or the package's");
}

/// What `build`, `install` and `compare` share.
void declare_build_request(Options& options, BuildRequest& request) {
  declare_program(options, request);
  declare_atmosphere(options, request);
  declare_showers(options, request);
  options.value("--zenith", request.parameters.zenith, "DEGREES", "zenith angle in degrees")
      .value("--seed", request.parameters.seed, "N", "first seed; the others follow");
}

void declare_build(CLI::App& app, Chosen& chosen) {
  const auto build = std::make_shared<BuildCommand>();
  Options options(app, chosen, "build", "Stock and patched CORSIKA, side by side, for one profile",
                  [build] { return run_build(*build); });
  declare_build_request(options, build->request);
  options
      .value("--only", build->builds, "NAME,...", "builds to make, of " + support::join(known_builds(), ", "),
             Takes::list)
      .value("--run-folder", build->run_folder, "DIR",
             "also make a fresh folder with card and data files, to run a program in");
}

void declare_compare(CLI::App& app, Chosen& chosen) {
  const auto request = std::make_shared<CompareRequest>();
  auto& compare = request->options;
  Options options(app, chosen, "compare", "Builds, runs both, checks identity, profiles, writes the report",
                  [request] { return run_compare(*request); });
  declare_build_request(options, request->build);
  options
      .flag(
          "--quick", compare.quick,
          "identity and a first gain in about two minutes: one pair of runs, at most 3 showers, no profiles")
      .value("--repeats", compare.repeats, "N", "pairs of timed runs (default: 5; 1 with --quick)")
      .value("--parts-repeats", compare.parts_repeats, "N",
             "of these pairs, how many also run each part of the overlay alone (default: 2; 1 with --quick; "
             "0: none)")
      .value("--backend", compare.backend, "NAME",
             "of the patched program: auto, reference, simd, cuda, opencl")
      .value("--cherenkov", compare.cherenkov, "NAME",
             "the patched program's Cherenkov stage: auto, cpu, thread (cpu with a helper thread), gpu; off: the "
             "generator alone")
      .value("--sampled-repeats", compare.sampled_repeats, "N",
             "pairs of runs under the CPU sampler (default: as many as --repeats; 0 with --quick)")
      .value("--shipped-repeats", compare.shipped_repeats, "N",
             "runs of stock with CORSIKA's own flags (default: 1; 0 with --quick)")
      .flag("!--no-gprof", compare.gprof, "leave out the runs of the gprof builds")
      .value("--gprof-showers", compare.gprof_showers, "N",
             "showers in the gprof runs (default: as in the others)")
      .flag("--warm-up", compare.warm_up, "one uncounted run of each program first")
      .value("--core", compare.core, "N", "pin every run to this core")
      .value("--timeout", compare.timeout_s, "SECONDS",
             "limit of a run (default: 20 times stock's, at least 2 minutes; none for the first stock run)")
      .flag("--keep", compare.keep, "keep the outputs of all runs, not just of the first pair")
      .flag("--print", compare.print, "print the report too")
      .value("--categories", compare.categories, "FILE",
             "your own list of categories of CPU time, as overlay/data/categories.json")
      .value("--report", compare.report, "DIR", "folder of the report (default: report in --out)");
}

void declare_install(CLI::App& app, Chosen& chosen) {
  const auto request = std::make_shared<InstallRequest>();
  Options options(app, chosen, "install", "The patched program with its data, in a folder that may be moved",
                  [request] { return run_install(*request); });
  declare_build_request(options, request->build);
  options.value("--prefix", request->prefix, "DIR",
                "folder to install in; only files of ours are replaced there", Takes::necessary);
}

void declare_patch(CLI::App& app, Chosen& chosen) {
  const auto patch = std::make_shared<PatchCommand>();
  Options options(app, chosen, "patch", "Patches a copy of the sources, or shows the unified diff",
                  [patch] { return run_patch(*patch); });
  declare_sources(options, patch->source);
  options.flag("--dry-run", patch->dry_run, "print the unified diff and write nothing");
}

void declare_prove(CLI::App& app, Chosen& chosen) {
  const auto prove = std::make_shared<ProveCommand>();
  Options options(
      app, chosen, "prove",
      "Every replaced routine against the stock body compiled from a tree; or the Cherenkov stage",
      [prove] { return run_prove(*prove); });
  declare_program(options, prove->request);
  declare_atmosphere(options, prove->request);
  options.value("--draws", prove->draws, "N", "draws of each variant of options")
      .flag(
          "--cherenkov", prove->cherenkov,
          "the Cherenkov stage: many short runs in which the program compares it with CORSIKA step by step; "
          "--jobs of them at a time")
      .value("--steps", prove->proof.steps, "N", "with --cherenkov: steps with light, in sum")
      .value("--run-timeout", prove->proof.timeout_s, "SECONDS", "with --cherenkov: limit of a run");
}

void declare_bench(CLI::App& app, Chosen& chosen) {
  const auto bench = std::make_shared<BenchCommand>();
  Options(app, chosen, "bench", "The generator against its peers, in one run",
          [bench] { return run_bench(*bench); })
      .value("--corsika", bench->source.corsika, "PATH", "tree or archive whose RMMARD is timed beside ours")
      .value("--out", bench->source.out, "DIR", kOut)
      .value("--repeats", bench->passed["--repeats"], "N",
             "repetitions of each row of the CPU; a row is their median (default: 9)")
      .value("--seconds", bench->passed["--seconds"], "SECONDS", "time of one repetition (default: 0.1)")
      .value("--threads", bench->passed["--threads"], "N", "most threads (default: all cores)")
      .value("--largest", bench->passed["--largest"], "N",
             "largest request of the CPU's rows (default: 10^8 numbers)")
      .value("--gpu", bench->passed["--gpu"], "TEXT",
             "rows of a CUDA and of an OpenCL device: auto (where there is one; the default), on or off")
      .value("--gpu-repeats", bench->passed["--gpu-repeats"], "N",
             "repetitions of each row of the device (default: 21)");
}

void declare_validate(CLI::App& app, Chosen& chosen) {
  const auto validate = std::make_shared<ValidateCommand>();
  Options(app, chosen, "validate", "Every claim checked, in some minutes, with a page of results",
          [validate] { return run_validate(*validate); })
      .value("--corsika", validate->corsika, "PATH", "program whose outputs are compared: as for compare")
      .value("--out", validate->out, "DIR", kOut)
      .flag("--full", validate->full,
            "long runs, a day or two; called again, it goes on where it was stopped")
      .value("--only", validate->passed["--only"], "PREFIX",
             "only the checks whose names begin so; see --list")
      .value("--jobs", validate->passed["--jobs"], "N", "checks at a time (default: 1)")
      .flag("--list", validate->list, "print the checks and their commands, run nothing")
      .value("--known-answers", validate->passed["--known-answers"], "FILE",
             "your own file of known answers");
}

void declare_doctor(CLI::App& app, Chosen& chosen) {
  const auto out = std::make_shared<std::filesystem::path>("build/overlay");
  Options(app, chosen, "doctor", "What this machine has and lacks", [out] {
    return run_doctor(*out);
  }).value("--out", *out, "DIR", "folder whose disk is looked at");
}

/// What the superbuild calls.
void declare_step(CLI::App& app, Chosen& chosen) {
  const auto step = std::make_shared<std::pair<std::string, std::filesystem::path>>();
  Options(app, chosen, "step", "",
          [step] {
            run_step(step->first, step->second);
            return 0;
          })
      .hidden()
      .value("step", step->first, "STEP", "", Takes::necessary)
      .value("folder", step->second, "DIR", "", Takes::necessary);
}

}  // namespace

void declare_program(Options& options, BuildRequest& request) {
  declare_sources(options, request);
  options
      .value("--profile", request.profile, "NAME",
             "shower run: " + support::join(list_profiles(), ", ") + ", or the path of a .toml")
      .value("--flags", request.flags, "TEXT",
             "shipped (CORSIKA's own: no optimisation), tuned (-O2), or compiler flags")
      .value("--gpu", request.gpu, "TEXT", "auto, on or off")
      .value("--card", request.card, "FILE",
             "your own input card instead of the profile's; --showers changes its NSHOW")
      .value("--atmosphere-dir", request.atmosphere_dir, "DIR",
             "folder with atmprofNN.dat (also $CORSIKA_ATMOSPHERES)")
      .value("--jobs", request.jobs, "N", "processes of make (default: all processors)");
}

void declare_showers(Options& options, BuildRequest& request) {
  options
      .flag("!--no-prove,--prove", request.prove,
            "no proof of the Cherenkov stage where the sources are not known: it stays off")
      .value("--prove-steps", request.prove_steps, "N", "steps with light in that proof")
      .value("--showers", request.parameters.showers, "N", "number of showers, of each run")
      .text<std::string>(
          "--erange", [&request](const std::string& text) { read_energy_range(text, request.parameters); },
          "MIN,MAX", "energies in GeV: MIN,MAX or 'production' for the profile's whole range");
}

namespace {

int fail(const std::string& what, int status) {
  std::fflush(stdout);
  fmt::print(stderr, "overlay: error: {}\n", what.substr(0, what.find('\n')));
  return status;
}

/// Reads the command line and runs the command that it names. Throws what the command throws.
int run_command_line(int argc, const char* const* argv) {
  Chosen chosen;
  CLI::App app{"Patches, builds, runs and compares CORSIKA 7: the same bytes in less time.", "overlay"};
  app.require_subcommand(0, 1);
  // Given twice, an option's last value counts: a script's choice can be changed behind it.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_version_flag("--version", OVERLAY_VERSION);
  app.footer("Everything made goes under build/overlay, or where --out DIR says. Start with: overlay doctor");
  const auto print_page = [&app] {
    fmt::print("{}", manual_page(app, OVERLAY_VERSION));
    return 0;
  };
  app.add_flag_callback("--man", [&] { chosen = print_page; })->group("");
  for (const auto declare :
       {declare_build, declare_compare, declare_install, declare_patch, declare_prove, declare_bench,
        declare_validate, declare_doctor, declare_production, declare_step})
    declare(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& problem) {
    const std::string what = problem.what();
    return fail(what.substr(0, what.find('\n')) + "; see overlay --help", 2);
  }
  return chosen ? chosen() : fail("a command is missing; see overlay --help", 2);
}

}  // namespace
}  // namespace overlay

/// Turns every failure into one line on standard error and an exit status.
int main(int argc, char** argv) {
  try {
    support::open_standard_descriptors();
    support::install_interrupt_handlers();
    const int status = overlay::run_command_line(argc, argv);
    std::fflush(nullptr);
    return status;
  } catch (const support::Interrupted& stopped) {
    return overlay::fail(stopped.what(), 130);
  } catch (const std::exception& problem) {
    return overlay::fail(problem.what(), 1);
  }
}
