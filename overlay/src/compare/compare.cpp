#include "overlay/compare/compare.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "overlay/card/card.hpp"
#include "overlay/report/report_folder.hpp"
#include "overlay/run/program_summary.hpp"
#include "overlay/run/run_folders.hpp"
#include "support/process.hpp"

#ifndef CPU_SAMPLER_BUILT
#define CPU_SAMPLER_BUILT ""
#endif
#ifndef OVERLAY_VERSION
#define OVERLAY_VERSION ""
#endif

namespace overlay {
namespace {
namespace fs = std::filesystem;

const std::set<std::string> kNotOutput{"card", "gmon.out"};

/// What the patched program is told by its environment; nothing for stock.
std::map<std::string, std::string> environment_of(const std::string& build, const CompareOptions& options) {
  if (build.rfind("patched", 0) != 0) return {};
  return {{"RANMAR_BACKEND", options.backend},
          {"RANMAR_SUMMARY", "1"},
          {"CHERENKOV_BACKEND", options.cherenkov},
          {"CHERENKOV_SUMMARY", "1"}};
}

/// Runs the programs of one comparison with its options.
class Runs {
 public:
  Runs(const overlay::BuildSet& set, const CompareOptions& options, std::function<void()> check,
       std::map<std::string, int> planned)
      : options_(options),
        folders_(set, {options.core, options.timeout_s, options.keep, std::move(check), std::move(planned)}) {
  }
  CompletedRun run(const std::string& build, const std::string& what, const std::string& card,
                   const fs::path& sampler = {}) {
    return folders_.run({build, what, card, environment_of(build, options_), sampler});
  }
  void drop(const CompletedRun& run) const { folders_.drop(run); }

 private:
  const CompareOptions& options_;
  RunFolders folders_;
};

Identity compare_runs(const CompletedRun& a, const CompletedRun& b) {
  return compare_folders(a.result.folder, b.result.folder, kNotOutput,
                         {a.result.first_date, a.result.last_date},
                         {b.result.first_date, b.result.last_date});
}

void count_in(BuildRuns& runs, const RunResult& result) {
  runs.wall_s.push_back(result.wall_s);
  runs.cpu_s.push_back(result.cpu_s());
  runs.peak_rss_kib = std::max(runs.peak_rss_kib, result.peak_rss_kib);
}

BuildRuns runs_of(const overlay::BuildSet& set, const std::string& build) {
  BuildRuns runs;
  const overlay::BuiltProgram& program = set.programs.at(build);
  runs.build = build;
  runs.flags = build == "stock-shipped" ? "shipped" : set.flags;
  runs.fflags = program.fflags;
  runs.cflags = program.cflags;
  return runs;
}

/// Standard error without our libraries' own lines.
std::string other_messages(const fs::path& errors) {
  std::ifstream in(errors);
  std::string line, text;
  while (std::getline(in, line))
    if (line.rfind("ranmar:", 0) != 0 && line.rfind("cherenkov:", 0) != 0) text += line + "\n";
  return text;
}

void say(Report& report, const std::string& note) {
  fmt::print(stderr, "overlay: note: {}\n", note);
  report.notes.push_back(note);
}

void timed_pairs(Runs& runs, const overlay::BuildSet& set, const CompareOptions& options, Report& report,
                 std::optional<CompletedRun>& first_stock, std::optional<CompletedRun>& first_patched) {
  if (options.warm_up)
    for (const char* build : {"stock", "patched"}) runs.drop(runs.run(build, "warm-up", set.card));
  BuildRuns stock_runs = runs_of(set, "stock"), patched_runs = runs_of(set, "patched");
  for (int pair = 1; pair <= options.repeats; ++pair) {
    const std::string what = std::to_string(pair);
    const CompletedRun stock = runs.run("stock", what, set.card);
    const CompletedRun patched = runs.run("patched", what, set.card);
    count_in(stock_runs, stock.result);
    count_in(patched_runs, patched.result);
    Identity identity = compare_runs(stock, patched);
    const bool identical = identity.identical;
    ++report.identity_pairs;
    if (pair == 1) {
      report.identity = std::move(identity);
      first_stock = stock;
      first_patched = patched;
    } else if (!identical && report.identity.identical) {
      for (std::string& reason : identity.reasons) reason = fmt::format("pair {}: {}", pair, reason);
      report.identity = std::move(identity);
    }
    if (pair > 1 && identical) {
      runs.drop(stock);
      runs.drop(patched);
    }
  }
  report.runs = {stock_runs, patched_runs};
}

void sampled_pairs(Runs& runs, const overlay::BuildSet& set, const StageList& stages, int repeats,
                   const fs::path& sampler, const CompletedRun& first_stock, Report& report) {
  report.sampled_outputs_identical = true;
  for (int pair = 1; pair <= repeats; ++pair)
    for (const char* build : {"stock-sampled", "patched-sampled"}) {
      const CompletedRun made = runs.run(build, std::to_string(pair), set.card, sampler);
      if (!compare_runs(first_stock, made).identical) report.sampled_outputs_identical = false;
      auto& into = build[0] == 's' ? report.sampled_stock : report.sampled_patched;
      if (!into) into.emplace();
      attribute(read_cpu_samples(made.samples), set.programs.at(build).executable, stages, *into);
      runs.drop(made);
    }
  if (!*report.sampled_outputs_identical)
    say(report, "the outputs of runs under the sampler differ from those of the plain stock run");
  for (const auto* sampled : {&report.sampled_stock, &report.sampled_patched})
    if (!(*sampled)->lines)
      say(report,
          "no source lines for a sampled build (is addr2line installed?): draws inlined at call sites are "
          "not "
          "counted as the generator's");
  if (!report.sampled_stock->corrected || !report.sampled_patched->corrected)
    say(report,
        "a sampled build could not be disassembled (is objdump installed?): samples are counted where they "
        "were taken, one instruction late");
  const auto inlined = [](const Attribution& sampled) {
    return std::any_of(sampled.generator_parts.begin(), sampled.generator_parts.end(),
                       [](const auto& part) { return part.first.find(".inc") != std::string::npos; });
  };
  if (report.sampled_patched && report.sampled_patched->sources_missing && !inlined(*report.sampled_patched))
    say(report,
        "the sources of the sampled patched build are gone: draws inlined at call sites are not counted as "
        "the "
        "generator's");
}

std::optional<GprofProfile> gprof_run(Runs& runs, const overlay::BuildSet& set, const std::string& build,
                                      const std::string& card, Report& report) {
  const CompletedRun made = runs.run(build, "1", card);
  try {
    GprofProfile profile = read_gprof(set.programs.at(build).executable, made.result.folder / "gmon.out");
    runs.drop(made);
    return profile;
  } catch (const support::Error& error) {
    say(report, fmt::format("no gprof profile of {}: {}", build, error.what()));
    return std::nullopt;
  }
}

void count_numbers(Report& report, const CompletedRun& stock, const CompletedRun& patched) {
  report.numbers_log = read_log_draws(stock.result.folder / "log");
  if (const auto summary = read_summary(patched.result.errors, "ranmar:", "draws")) {
    report.summary = summary->line;
    report.backend = summary->text("backend");
    report.numbers = summary->number("draws");
    report.numbers_from = "counted by the patched program";
    if (report.numbers && report.numbers_log && *report.numbers != *report.numbers_log)
      say(report,
          fmt::format(
              "the log's counters give {} numbers, the patched program {}: the log need not show the last "
              "event",
              *report.numbers_log, *report.numbers));
  } else {
    say(report, "the patched program gave no summary of its draws");
  }
  if (!report.numbers && report.numbers_log) {
    report.numbers = report.numbers_log;
    report.numbers_from = "by the counters in the log";
  }
}

void count_light(Report& report, const CompletedRun& patched) {
  Light& light = report.light;
  if (light.asked == "off") return;
  const auto summary = read_summary(patched.result.errors, "cherenkov:", "bunches");
  if (!summary) {
    say(report, "the Cherenkov stage was asked for and did not run: this build does not call it");
    return;
  }
  light.summary = summary->line;
  light.backend = summary->text("backend");
  light.steps = summary->number("steps");
  light.left_to_corsika = summary->number("left_to_corsika");
  light.bunches = summary->number("bunches");
  light.traced = summary->number("traced");
  light.skipped = summary->number("skipped");
  if (light.asked == "gpu" && light.backend != "gpu")
    say(report, "the Cherenkov stage was asked for on a GPU and ran on the CPU");
}

}  // namespace

fs::path find_sampler() {
  std::error_code error;
  std::vector<fs::path> places;
  if (const char* given = std::getenv("OVERLAY_CPU_SAMPLER")) places.emplace_back(given);
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    places.push_back(self.parent_path() / "libcpu_sampler.so");
    places.push_back(self.parent_path().parent_path() / "lib" / "libcpu_sampler.so");
  }
  places.emplace_back(CPU_SAMPLER_BUILT);
  for (const fs::path& place : places)
    if (!place.empty() && fs::is_regular_file(place, error)) return fs::absolute(place);
  return {};
}

std::vector<std::string> needed_builds(const CompareOptions& options, const std::string& flags) {
  std::vector<std::string> builds{"stock", "patched"};
  if (options.shipped_repeats > 0 && flags != "shipped") builds.emplace_back("stock-shipped");
  if (options.sampled_repeats != 0 && !find_sampler().empty()) {
    builds.emplace_back("stock-sampled");
    builds.emplace_back("patched-sampled");
  }
  if (options.gprof) {
    builds.emplace_back("stock-gprof");
    builds.emplace_back("patched-gprof");
  }
  return builds;
}

void check_options(const CompareOptions& options) {
  const auto wrong = [](const std::string& text) { throw support::Error(text); };
  if (options.repeats < 1) wrong(fmt::format("--repeats {} makes no sense; give 1 or more", options.repeats));
  if (options.sampled_repeats < -1) wrong("--sampled-repeats makes no sense; give 0 or more");
  if (options.shipped_repeats < 0) wrong("--shipped-repeats makes no sense; give 0 or more");
  if (options.gprof_showers < 0) wrong("--gprof-showers makes no sense; give 1 or more");
  if (options.timeout_s < 0) wrong("--timeout makes no sense; give seconds");
  const std::vector<std::string> backends{"auto", "reference", "simd", "cuda"};
  if (std::find(backends.begin(), backends.end(), options.backend) == backends.end())
    wrong(fmt::format("unknown backend {}; there are auto, reference, simd, cuda", options.backend));
  const std::vector<std::string> light{"off", "cpu", "gpu", "auto"};
  if (std::find(light.begin(), light.end(), options.cherenkov) == light.end())
    wrong(fmt::format("unknown Cherenkov backend {}; there are off, cpu, gpu, auto", options.cherenkov));
  if (options.core) {
    const std::vector<int> cores = support::allowed_cores();
    if (std::find(cores.begin(), cores.end(), *options.core) == cores.end())
      wrong(fmt::format("there is no core {} for us; there are {}", *options.core, fmt::join(cores, ", ")));
  }
  if (options.stages) StageList::from_file(*options.stages);
}

Report compare_programs(const overlay::BuildSet& set, const CompareOptions& options,
                        const std::function<void()>& check) {
  check_options(options);
  StageList stages = options.stages ? StageList::from_file(*options.stages) : StageList::standard();
  if (options.cherenkov != "off") stages.accelerate("cherenkov");
  const fs::path sampler = find_sampler();
  const int sampled = options.sampled_repeats < 0 ? options.repeats : options.sampled_repeats;
  const auto have = [&](const char* build) { return set.programs.count(build) != 0; };
  const bool sample = sampled > 0 && !sampler.empty() && have("stock-sampled") && have("patched-sampled");
  const bool gprof = options.gprof && have("stock-gprof") && have("patched-gprof");
  const bool shipped = options.shipped_repeats > 0 && have("stock-shipped");

  Report report;
  report.profile = set.profile.name;
  report.corsika_version = set.corsika_version;
  report.corsika_sha256 = set.sha256;
  report.flags = set.flags;
  report.library_version = OVERLAY_VERSION;
  report.card = set.card;
  report.backend = report.backend_asked = options.backend;
  report.light.asked = options.cherenkov;
  report.showers = Card(set.card).showers();
  report.machine = support::describe_machine();
  report.machine.compilers = set.compilers;
  report.started = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
  report.repeats = options.repeats;
  report.core = options.core;
  report.stages = stages.stages();
  report.notes = set.notes;
  if (options.repeats < 6)
    say(report,
        fmt::format(
            "{} pair{} of runs: intervals over so few are narrower than the truth (6 or more are better)",
            options.repeats, options.repeats == 1 ? "" : "s"));
  if (sampled > 0 && sampler.empty())
    say(report,
        "libcpu_sampler.so was not found, so there are no shares of CPU time; build the whole project");
  report.gprof_showers = options.gprof_showers > 0 ? options.gprof_showers : report.showers;
  const std::string gprof_card = !gprof || report.gprof_showers == report.showers
                                     ? set.card
                                     : card_with_showers(set.card, report.gprof_showers);
  if (gprof && report.gprof_showers != report.showers)
    say(report, fmt::format("gprof's calls and shares are of {} showers, everything else of {}",
                            report.gprof_showers, report.showers));

  const int warm = options.warm_up ? 1 : 0;
  std::map<std::string, int> planned{{"stock", options.repeats + warm}, {"patched", options.repeats + warm}};
  if (shipped) planned["stock-shipped"] = options.shipped_repeats;
  if (sample) planned["stock-sampled"] = planned["patched-sampled"] = sampled;
  if (gprof) planned["stock-gprof"] = planned["patched-gprof"] = 1;
  Runs runs(set, options, check, planned);

  std::optional<CompletedRun> stock, patched;
  timed_pairs(runs, set, options, report, stock, patched);
  count_numbers(report, *stock, *patched);
  count_light(report, *patched);
  if (other_messages(stock->result.errors) != other_messages(patched->result.errors))
    say(report,
        "stock and patched wrote different messages to standard error (not part of the identity check)");
  if (shipped) {
    BuildRuns shipped_runs = runs_of(set, "stock-shipped");
    for (int i = 1; i <= options.shipped_repeats; ++i) {
      const CompletedRun made = runs.run("stock-shipped", std::to_string(i), set.card);
      count_in(shipped_runs, made.result);
      if (i == 1 && !compare_runs(*stock, made).identical)
        say(report,
            fmt::format("stock as shipped and stock with flags {} leave different outputs", set.flags));
      runs.drop(made);
    }
    report.runs.push_back(shipped_runs);
  }
  if (sample) sampled_pairs(runs, set, stages, sampled, sampler, *stock, report);
  if (gprof) {
    report.gprof_stock = gprof_run(runs, set, "stock-gprof", gprof_card, report);
    report.gprof_patched = gprof_run(runs, set, "patched-gprof", gprof_card, report);
    if (report.gprof_stock) report.calls = report.gprof_stock->draw_calls(stages.generator());
  }
  return report;
}

int run_compare(const CompareRequest& request) {
  check_options(request.options);
  const fs::path folder = request.options.report.value_or(request.build.out / "report");
  check_report_folder(folder);
  const overlay::BuildSet set =
      overlay::build_profile(request.build, needed_builds(request.options, request.build.flags));
  const Report report = compare_programs(set, request.options, [] { support::check_interrupt(); });
  for (const std::string& line : write_report(report, folder))
    fmt::print(stderr, "overlay: note: {}\n", line);
  if (request.options.print) {
    std::ifstream in(folder / "report.md");
    std::string line;
    while (std::getline(in, line)) fmt::print("{}\n", line);
  }
  fmt::print("report: {}\n", (folder / "report.md").string());
  fmt::print("{}\n", report_line(report, derive(report)));
  return report.identity.identical ? 0 : 3;
}

}  // namespace overlay
