// A comparison as a whole: builds, runs, report. The runs themselves are made by the steps of comparison.hpp.
#include "overlay/compare/compare.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <sstream>

#include "overlay/build/source.hpp"
#include "overlay/card/card.hpp"
#include "overlay/compare/comparison.hpp"
#include "overlay/prove/prove.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

/// What is known before anything runs.
Report begin_report(const BuildSet& set, const CompareOptions& options, const RunCounts& counts) {
  Report report;
  report.profile = set.profile.name;
  report.corsika_version = set.corsika_version;
  report.corsika_sha256 = set.sha256;
  report.flags = set.flags;
  report.library_version = OVERLAY_VERSION;
  report.card = set.card;
  report.backend = report.backend_asked = options.backend;
  report.light.asked = options.cherenkov;
  report.light.built = set.cherenkov_stage;
  report.quick = options.quick;
  report.showers = Card(set.card).showers();
  report.gprof_showers = options.gprof_showers > 0 ? options.gprof_showers : report.showers;
  report.machine = support::describe_machine();
  report.machine.compilers = set.compilers;
  report.started = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
  report.repeats = counts.pairs;
  report.core = options.core;
  report.notes = set.notes;
  return report;
}

/// Number of runs, for the estimate of the time left.
int planned_runs(const BuildSet& set, const CompareOptions& options, const RunCounts& counts) {
  const int warm = options.warm_up ? 1 : 0;
  const auto& names = set.profile.options;
  const bool light = std::find(names.begin(), names.end(), "CERENKOV") != names.end();
  const int parts = light && options.cherenkov != "off" ? counts.parts : 0;
  const int programs = set.programs.count("patched-stage") != 0 ? 2 : 1;
  return 1 + 2 * (counts.pairs + warm + counts.sampled) + programs * parts + counts.shipped +
         (counts.gprof ? 2 : 0);
}

/// The words of this process's command line as one line that a shell reads back.
std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string word, line;
  while (std::getline(in, word, '\0')) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                            "UVWXYZ0123456789-_./,=:+@%") == std::string::npos;
    std::string quoted;
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += (line.empty() ? "" : " ") + (plain ? word : "'" + quoted + "'");
  }
  return line;
}

/// Whether a profile's program makes Cherenkov light.
bool has_light(const BuildRequest& request) {
  const Profile profile = load_profile(request.profile);
  const auto& options =
      request.corsika == "standin" && profile.standin ? profile.standin->options : profile.options;
  return std::find(options.begin(), options.end(), "CERENKOV") != options.end();
}

/// Makes what follows the timed runs. Where it fails the report says so, and keeps what the timed runs gave.
/// Returns whether it went well.
bool without_loss(Report& report, const char* lacks, const std::function<void()>& make) {
  try {
    make();
    return true;
  } catch (const support::Interrupted&) {
    throw;
  } catch (const std::exception& problem) {
    add_note(report, fmt::format("{}: {}", lacks, problem.what()));
    return false;
  }
}

/// The verdict where a run did not come to its end: the programs differ where stock's run ended and the other
/// one did not, by what its program did. A full disk is the caller's to tell.
void count_failure(Report& report, const RunFailed& failure) {
  if (failure.why() == RunFailed::Why::disk_full) throw;
  report.identity.identical = false;
  if (failure.label() != "stock" && failure.by_the_program())
    report.identity.reasons.emplace_back(failure.what());
  else if (report.identity.reasons.empty())
    report.identity.could_not_compare = failure.what();
  if (!report.identity.reasons.empty()) report.identity.could_not_compare.clear();
}

}  // namespace

Report compare_programs(const BuildSet& built, const CompareOptions& options,
                        const std::function<void()>& check) {
  check_options(options);
  CategoryList categories =
      options.categories ? CategoryList::from_file(*options.categories) : CategoryList::standard();
  RunCounts counts = run_counts(options);
  const fs::path sampler = find_sampler();
  const bool sampler_missing = counts.sampled > 0 && sampler.empty();
  const auto have = [&](const char* build) { return built.programs.count(build) != 0; };
  if (sampler.empty() || !have("stock-sampled") || !have("patched-sampled")) counts.sampled = 0;
  if (!have("stock-gprof") || !have("patched-gprof")) counts.gprof = false;
  if (!have("stock-shipped")) counts.shipped = 0;

  BuildSet set = built;
  Report report = begin_report(set, options, counts);
  if (sampler_missing)
    add_note(report,
             "libcpu_sampler.so was not found, so there are no shares of CPU time; build the whole project");
  if (counts.pairs > 1 && counts.pairs < 6)
    add_note(report,
             fmt::format("an interval from {} pairs of runs is narrower than the truth; --repeats 6 or "
                         "more is better",
                         counts.pairs));
  RunFolders runs(set,
                  {options.core, options.timeout_s, options.keep, check, planned_runs(set, options, counts)});
  const Comparison comparison{set, options, counts, runs, report, stamps_of(set)};
  prepare_tables(comparison);
  FirstPair first;
  try {
    first = run_timed_pairs(comparison);
  } catch (const RunFailed& failure) {
    count_failure(report, failure);
    return report;
  }
  if (report.light.taken()) categories.accelerate("cherenkov");
  report.categories = categories.categories();
  if (counts.shipped > 0)
    without_loss(report, "no times of stock as shipped", [&] { run_shipped(comparison, first.stock); });
  if (counts.sampled > 0 && !without_loss(report, "no shares of CPU time", [&] {
        run_sampled_pairs(comparison, categories, sampler, first.stock);
      })) {
    report.sampled_stock.reset();
    report.sampled_patched.reset();
    report.sampled_outputs_identical.reset();
  }
  if (counts.gprof) without_loss(report, "no gprof profile", [&] { run_gprof(comparison, categories); });
  run_card_command(comparison, first);
  return report;
}

int run_compare(CompareRequest request) {
  CompareOptions& options = request.options;
  if (request.build.gpu == "off" && (options.backend == "cuda" || options.cherenkov == "gpu"))
    throw support::Error("--backend cuda and --cherenkov gpu need a build with CUDA: leave out --gpu off");
  if (request.build.gpu == "on" && options.backend == "auto") options.backend = "cuda";
  check_options(options);
  const fs::path folder = fs::absolute(options.report.value_or(request.build.out / "report"));
  refuse_output_in_tree(request.build.corsika, folder, "--report");
  check_report_folder(folder);
  BuildSet set =
      build_proven(request.build, needed_builds(options, request.build.flags, has_light(request.build)));
  fmt::print(stderr, "overlay: Cherenkov stage in the program: {}\n", set.cherenkov_stage.text());
  if (options.quick && !request.build.parameters.showers && Card(set.card).showers() > kQuickShowers)
    set.card = card_with_showers(set.card, kQuickShowers);
  Report report = compare_programs(set, options, [] { support::check_interrupt(); });
  report.command = command_line();
  for (const std::string& line : write_report(report, folder))
    fmt::print(stderr, "overlay: note: {}\n", line);
  if (options.print) fmt::print("{}", support::read_file(folder / "report.md"));
  for (const std::string& line : closing_lines(report, derive(report), folder / "report.html"))
    fmt::print("{}\n", line);
  return report.identity.identical ? 0 : report.identity.differs() ? 3 : 1;
}

}  // namespace overlay
