// overlay, the program that a person types: its main(), its manual page, options that several commands share,
// and the commands build and compare. Writes below --out and --run-folder alone.
#include "options.hpp"

#include <cstdio>
#include <regex>

#include "overlay/build/source.hpp"
#include "overlay/build/toolchain.hpp"
#include "overlay/compare/compare.hpp"
#include "overlay/prove/prove.hpp"
#include "support/nearest.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

/// `run_folder`: made where it is not empty.
int run_build(const BuildRequest& request, const std::vector<std::string>& builds,
              const fs::path& run_folder) {
  if (!run_folder.empty()) refuse_output_in_tree(request.corsika, run_folder, "--run-folder");
  const auto set = build_proven(request, builds);
  fmt::print("CORSIKA    {} (SHA-256 {})\n", set.corsika_version, set.sha256);
  fmt::print("profile    {}: {}\n", set.profile.name, set.profile.summary);
  fmt::print("options    {}\n", fmt::join(set.profile.options, " "));
  fmt::print("compilers  {}\n", set.compilers);
  for (const auto& [name, program] : set.programs)
    fmt::print("{0:<10} {1}\n           FFLAGS=\"{2}\" CFLAGS=\"{2}\"\n", name, program.string(),
               flags_of(name, set.flags));
  if (!set.patched_tree.empty()) {
    fmt::print("Cherenkov stage: {}\n", set.cherenkov_stage.text());
    fmt::print("patched    as {} says; our own library is always optimised (-O3)\n",
               (set.patched_tree.parent_path() / "manifest.json").string());
  }
  if (!run_folder.empty()) {
    const auto& first = *set.programs.begin();
    const auto folder = prepare_run_dir(set, set.card, run_folder);
    fmt::print("run        {} && {} < card > log\n", shell_line({"cd", folder.string()}),
               shell_line({first.second.string()}));
  }
  return 0;
}

void declare_build(CLI::App& app, Chosen& chosen) {
  const auto request = std::make_shared<BuildRequest>();
  const auto builds =
      std::make_shared<std::vector<std::string>>(std::vector<std::string>{"stock", "patched"});
  const auto run_folder = std::make_shared<fs::path>();
  Options options(app, chosen, "build", "Stock and patched CORSIKA, side by side, for one profile",
                  [=] { return run_build(*request, *builds, *run_folder); });
  declare_build_request(options, *request);
  options.value("--only", *builds, "NAME,...", "builds to make, of " + support::join(kBuilds, ", "))
      .list()
      .value("--run-folder", *run_folder, "DIR",
             "also make a fresh folder with card and data files, to run a program in");
}

void declare_compare(CLI::App& app, Chosen& chosen) {
  const auto request = std::make_shared<BuildRequest>();
  const auto asked = std::make_shared<CompareOptions>();
  auto& compare = *asked;
  Options options(app, chosen, "compare", "Builds, runs both, checks identity, profiles, writes the report",
                  [=] { return run_compare(*request, *asked); });
  declare_build_request(options, *request);
  options
      .flag("--quick", compare.quick,
            "identity and a first gain in about two minutes: one pair of runs, at most 3 showers, no "
            "sampling, no gprof")
      .value("--repeats", compare.repeats, "N", "pairs of timed runs (default: 5; 1 with --quick)")
      .value("--parts-repeats", compare.parts_repeats, "N",
             "of these pairs, how many also run generator and Cherenkov stage each alone (default: 2; 1 with "
             "--quick; 0: none)")
      .value("--backend", compare.backend, "NAME",
             "of the patched program: auto, reference, simd, cuda, opencl")
      .value("--cherenkov", compare.cherenkov, "NAME",
             "the patched program's Cherenkov stage: auto, cpu, thread (cpu with a helper thread), gpu; off: "
             "the generator alone")
      .value("--sampled-repeats", compare.sampled_repeats, "N",
             "pairs of runs under the CPU sampler (default: as many as --repeats; 0 with --quick)")
      .value("--shipped-repeats", compare.shipped_repeats, "N",
             "runs of stock with CORSIKA's own flags (default: 1; 0 with --quick)")
      .flag("!--no-gprof", compare.gprof, "leave out the runs of the gprof builds")
      .value("--timeout", compare.timeout_s, "SECONDS",
             "limit of a run (default: 20 times stock's, at least 2 minutes; none for the first stock run)")
      .flag("--keep", compare.keep, "keep the outputs of all runs, not just of the first pair")
      .flag("--print", compare.print, "print the report too")
      .value("--report", compare.report, "DIR", "folder of the report (default: report in --out)");
}

/// What the superbuild calls.
void declare_step(CLI::App& app, Chosen& chosen) {
  const auto step = std::make_shared<std::pair<std::string, fs::path>>();
  Options(app, chosen, "step", "",
          [step] {
            run_step(step->first, step->second);
            return 0;
          })
      .hidden()
      .value("step", step->first, "STEP", "")
      .necessary()
      .value("folder", step->second, "DIR", "")
      .necessary();
}

/// Text as groff prints it unchanged: hyphens stay hyphens, and no line begins with a request.
std::string groff(const std::string& text) {
  auto result = std::regex_replace(text, std::regex(R"(\\)"), "\\e");
  result = std::regex_replace(result, std::regex("-"), "\\-");
  return std::regex_replace(result, std::regex("(^|\n)([.'])"), "$1\\&$2");
}

/// A section for each command that is shown, with its help, and for the commands of a command.
std::string command_sections(const std::string& before, const CLI::App& program) {
  std::string text;
  for (const auto* command :
       program.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
    const auto name = before + " " + command->get_name();
    text += fmt::format(".SS {}\n.nf\n{}\n.fi\n", groff(name), groff(command->help(before))) +
            command_sections(name, *command);
  }
  return text;
}

/// A page for man(1), section 1, in the man macros of groff. Hidden commands are left out.
std::string manual_page(const CLI::App& program) {
  const auto name = groff(program.get_name());
  return fmt::format(
             ".TH {0} 1 \"\" \"{0} {1}\" \"User commands\"\n"
             ".SH NAME\n{0} \\- {2}\n"
             ".SH SYNOPSIS\n.B {0}\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n"
             ".SH DESCRIPTION\n{2}\n.PP\n{3}\n.SH COMMANDS\n",
             name, OVERLAY_VERSION, groff(program.get_description()), groff(program.get_footer())) +
         command_sections(program.get_name(), program) +
         ".SH EXIT STATUS\n"
         "0: done. 1: an error, in one line on standard error. 2: the command line is wrong.\n"
         "1 also: compare could not compare. 3: compare found outputs that differ. 130: interrupted.\n"
         "production run: 65: no attempt can succeed. 69: this node computes other last bits. 74: a disk is "
         "full.\n"
         "75: another attempt may succeed.\n";
}

/// "; did you mean NAME? See HELP" with the name that is nearest to a mistyped one; else "; see HELP".
std::string advice(const std::string& typed, const std::vector<std::string>& names, const std::string& help) {
  const auto nearest = support::nearest(typed, names);
  return nearest.empty() ? "; see " + help : fmt::format("; did you mean {}? See {}", nearest, help);
}

/// What is wrong with a command line that was not accepted, in one line. A word that nothing takes comes
/// first: because of it something else may be missing.
std::string mistake(const CLI::App& app, const CLI::ParseError& problem) {
  const CLI::App* command = &app;
  std::vector<std::string> words, names;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    words.push_back(command->get_name());
  }
  words.emplace_back("--help");
  const auto help = to_type(words);
  const auto unknown = app.remaining(true);
  if (unknown.empty()) return first_line(problem.what()) + "; see " + help;
  const auto word = unknown.front().substr(0, unknown.front().find('='));
  if (word.starts_with('-')) {
    for (const auto* option : command->get_options())
      for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    return "there is no option " + word + advice(word, names, help);
  }
  for (const auto* each : command->get_subcommands([](const CLI::App*) { return true; }))
    if (!each->get_group().empty()) names.push_back(each->get_name());
  if (names.empty()) return fmt::format("{} takes no '{}'; see {}", command->get_name(), word, help);
  return "there is no command " + word + advice(word, names, help);
}

int fail(const std::string& what, int status) {
  std::fflush(stdout);
  fmt::print(stderr, "overlay: error: {}\n", first_line(what));
  return status;
}

/// Reads the command line and runs the command that it names. Throws what the command throws.
int run_command_line(int argc, const char* const* argv) {
  Chosen chosen;
  CLI::App app{"Patches, builds, runs and compares CORSIKA 7: the same bytes in less time.", "overlay"};
  app.require_subcommand(0, 1);
  // Given twice, an option's last value counts: a script's choice can be changed behind it.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_version_flag("--version", kVersion);
  app.footer(
      "What is made of CORSIKA goes under build/overlay, or where --out DIR says. Our own programs are in "
      "build/release; ~/.config/overlay/proofs keeps what was proven, ~/.local/share/overlay seeds of "
      "productions. Start with: overlay doctor");
  const auto print_page = [&app] {
    fmt::print("{}", manual_page(app));
    return 0;
  };
  app.add_flag_callback("--man", [&] { chosen = print_page; })->group("");
  for (const auto declare :
       {declare_init, declare_build, declare_compare, declare_install, declare_patch, declare_prove,
        declare_bench, declare_validate, declare_doctor, declare_production, declare_step})
    declare(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& problem) {
    return fail(mistake(app, problem), 2);
  }
  return chosen ? chosen() : fail("a command is missing; see " + to_type({"--help"}), 2);
}

}  // namespace

void declare_sources(Options& options, BuildRequest& request) {
  options.value("--corsika", request.corsika, "PATH", "CORSIKA 7 archive, unpacked tree, URL, or 'standin'")
      .necessary()
      .value("--sha256", request.sha256, "HEX", "the archive's expected SHA-256 checksum")
      .value("--known", request.known, "FILE", "your own list of releases and checksums")
      .value("--out", request.out, "DIR", kOut);
}

void declare_atmosphere(Options& options, BuildRequest& request) {
  options.value("--atmosphere", request.atmosphere, "N",
                "number of the atmosphere table: 61 (VERITAS winter), 62 (summer), or one that CORSIKA has");
}

void declare_own(Options& options, BuildRequest& request) {
  options.value("--card", request.card, "FILE", "your own input card; --showers changes its NSHOW")
      .value("--config", request.config, "FILE",
             "include/config.h as coconut wrote it: its options, with --card in place of a profile")
      .value("--options", request.options, "NAMES",
             "instead of --config: names of options, separated by blanks")
      .value("--atmosphere-dir", request.atmosphere_dir, "DIR",
             "folder with atmprofNN.dat (also $CORSIKA_ATMOSPHERES)");
}

void declare_program(Options& options, BuildRequest& request) {
  declare_sources(options, request);
  options
      .value("--profile", request.profile, "NAME",
             "shower run: " + support::join(list_profiles(), ", ") + ", or the path of a .toml")
      .value("--flags", request.flags, "TEXT",
             "shipped (CORSIKA's own: no optimisation), tuned (-O2), or compiler flags")
      .value("--gpu", request.gpu, "TEXT", "may patched use a CUDA device: auto, on or off")
      .value("--jobs", request.jobs, "N", "processes of make (default: all processors)");
  declare_own(options, request);
}

void declare_substitutes(Options& options, BuildRequest& request) {
  request.substitutes = false;
  options.flag("--allow-substitutes", request.substitutes,
               "take the profile's alternatives where tables are missing, and record it");
}

void declare_build_request(Options& options, BuildRequest& request) {
  declare_program(options, request);
  declare_atmosphere(options, request);
  declare_showers(options, request);
  options.value("--zenith", request.zenith, "DEGREES", "zenith angle in degrees")
      .value("--seed", request.seed, "N", "first seed; the others follow");
}

void declare_showers(Options& options, BuildRequest& request) {
  options
      .flag("!--no-prove,--prove", request.prove,
            "whether the Cherenkov stage is proven where the sources are not known (default: it is); "
            "unproven, it stays off")
      .value("--prove-steps", request.prove_steps, "N", "steps with light in that proof")
      .value("--showers", request.showers, "N", "number of showers, of each run")
      .text(
          "--erange", [&request](const std::string& text) { request.energies = text; }, "MIN,MAX",
          "energies in GeV: MIN,MAX or 'production' for the profile's whole range");
}

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
