// One comparison: first run, timed runs, profiled runs. Each step adds what it found to the report.
#include <fmt/chrono.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "overlay/attribution/attribution.hpp"
#include "overlay/build/profile.hpp"
#include "overlay/build/toolchain.hpp"
#include "overlay/card/card.hpp"
#include "overlay/compare/compare.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/run/runner.hpp"
#include "support/machine.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

/// Compares what two runs left. Dates in headers may be those of each run.
Identity compare_runs(const RunResult& a, const RunResult& b) {
  return compare_folders(a.folder, b.folder, a.dates, b.dates);
}

/// What is known before anything runs.
Json begun_report(const BuildSet& set, const CompareOptions& options) {
  const long showers = Card(set.card).showers();
  const support::Machine machine = support::describe_machine();
  Json report = new_report();
  report.update({{"profile", set.profile.name},
                 {"options", set.profile.options},
                 {"corsika", {{"version", set.corsika_version}, {"sha256", set.sha256}}},
                 {"library_version", OVERLAY_VERSION},
                 {"started", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)))},
                 {"command", ""},
                 {"quick", options.quick},
                 {"flags", set.flags},
                 {"showers", showers},
                 {"repeats", *options.repeats},
                 {"card", set.card},
                 {"machine",
                  {{"cpu", machine.cpu},
                   {"cores", machine.cores},
                   {"memory_gib", machine.memory_gib},
                   {"kernel", machine.kernel},
                   {"system", machine.system},
                   {"gpu", machine.gpu},
                   {"compilers", set.compilers},
                   {"load_before", machine.load}}},
                 {"backend", options.backend},
                 {"backend_asked", options.backend},
                 {"substitutes", set.substitutes},
                 {"notes", set.notes}});
  Json& light = report["cherenkov"];
  light["asked"] = options.cherenkov;
  light["made"] = contains(set.profile.options, "CERENKOV");
  put_stage(light, set.cherenkov_stage);
  light["in_run"] = stage_in_run(light, set.cherenkov_stage);
  return report;
}

/// Prints a note and puts it into the report.
void add_note(Json& report, const std::string& text) {
  fmt::print(stderr, "overlay: note: {}\n", text);
  report["notes"].push_back(text);
}

void count_in(Json& runs, const RunResult& result) {
  runs["wall_s"].push_back(result.wall_s);
  runs["cpu_s"].push_back(result.cpu_s());
  runs["peak_rss_kib"] = std::max(runs["peak_rss_kib"].get<long>(), result.peak_rss_kib);
  if (result.startup_cpu_s) runs["startup_cpu_s"].push_back(*result.startup_cpu_s);
}

class Comparison {
 public:
  Comparison(const BuildSet& set, const CompareOptions& options, Json report, int planned)
      : set_(set),
        options_(options),
        categories_(read_categories()),
        report_(std::move(report)),
        runs_(set_, options, planned) {}

  Json make() {
    if (const int pairs = *options_.repeats; pairs > 1 && pairs < 6)
      note(fmt::format(
          "an interval from {} pairs of runs is narrower than the truth; --repeats 6 or more is better",
          pairs));
    try {
      prepare_tables();
      run_timed_pairs();
      run_the_rest();
    } catch (const RunFailed& failure) {
      count_failure(failure);
    }
    put_identity(report_, identity_);
    if (double load = 0; getloadavg(&load, 1) == 1) report_["machine"]["load_after"] = load;
    add_figures(report_);
    return std::move(report_);
  }

 private:
  void note(const std::string& text) { add_note(report_, text); }

  /// Runs stock once with a short card, uncounted. Where it writes tables (UrQMD's), patched runs, too, and
  /// stock's tables go into the folders of all runs that follow: production runs find them there, too. A run
  /// that fails becomes a note: the user's own card may be good.
  void prepare_tables() try {
    const std::string card = card_of_one_low_shower(set_.card);
    const RunResult stock = runs_.run("stock", "first", card);
    report_["startup"]["tables"] = tables_in(stock.folder);
    if (!report_["startup"]["tables"].empty()) {
      const RunResult patched = runs_.run("patched", "first", card);
      const fs::path kept = runs_.claim("tables");
      fs::create_directories(kept);
      for (const std::string name : report_["startup"]["tables"]) {
        if (!fs::is_regular_file(patched.folder / name) ||
            support::read_file(stock.folder / name) != support::read_file(patched.folder / name))
          table_differences_.push_back(name +
                                       ": stock and patched write different tables at their first run");
        fs::rename(stock.folder / name, kept / name);
        set_.data_files[name] = kept / name;
      }
      report_["identity"]["first_run_identical"] = table_differences_.empty();
      runs_.remove(patched);
    }
    runs_.remove(stock);
  } catch (const support::Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    note(fmt::format("runs begin in fresh folders, since the first run with a short card failed: {}",
                     error.what()));
  }

  /// An empty record of the runs of `program`, under the name `build`.
  Json runs_json(const std::string& program, const std::string& build) const {
    Json runs{{"build", build},
              {"flags", program == "stock-shipped" ? "shipped" : set_.flags},
              {"fflags", flags_of(program, set_.flags)},
              {"peak_rss_kib", 0}};
    runs["wall_s"] = runs["cpu_s"] = runs["startup_cpu_s"] = Json::array();
    return runs;
  }

  /// The pairs of timed runs. In the first parts_repeats pairs each part of the patch also runs alone, if
  /// the stage did something. Compares the outputs of all with stock's.
  void run_timed_pairs() {
    Json stock_runs = runs_json("stock", "stock"), patched_runs = runs_json("patched", "patched"),
         generator = runs_json("patched", "patched-generator"), stage = runs_json("patched", "patched-stage");
    for (int pair = 1; pair <= *options_.repeats; ++pair) {
      const std::string what = std::to_string(pair);
      const RunResult stock = runs_.run("stock", what), patched = runs_.run("patched", what);
      count_in(stock_runs, stock);
      count_in(patched_runs, patched);
      Identity identity = compare_runs(stock, patched);
      const bool identical = identity.identical;
      report_["identity"]["pairs"] = pair;
      if (pair == 1) {
        identity_ = std::move(identity);
        stock_ = stock;
        patched_ = patched;
        count_numbers();
        count_light();
      } else {
        count_identity(std::move(identity), fmt::format("pair {}", pair));
      }
      if (stage_took_light(report_["cherenkov"]) && pair <= *options_.parts_repeats) {
        run_part(generator, "patched", "generator-" + what, stock, {{"CHERENKOV_BACKEND", "off"}});
        if (set_.programs.contains("patched-stage")) run_part(stage, "patched-stage", what, stock);
      }
      if (pair > 1 && identical) {
        runs_.remove(stock);
        runs_.remove(patched);
      }
    }
    if (!table_differences_.empty()) {
      identity_.identical = false;
      identity_.could_not_compare.clear();
      identity_.reasons.insert(identity_.reasons.end(), table_differences_.begin(), table_differences_.end());
    }
    report_["runs"] = {stock_runs, patched_runs};
    for (const Json& runs : {generator, stage})
      if (!runs["cpu_s"].empty()) report_["runs"].push_back(runs);
  }

  void count_numbers() {
    Json& rng = report_["rng"];
    if (auto said = part_said(support::read_file(patched_.errors), "ranmar:", "draws"); !said.line.empty()) {
      rng["summary"] = said.line;
      report_["backend"] = said.values["backend"];
      rng["numbers"] = number_in(said.values, "draws");
    } else {
      note("the patched program gave no summary of its draws");
    }
  }

  void count_light() {
    Json& light = report_["cherenkov"];
    if (light["asked"] == "off") return;
    auto said = part_said(support::read_file(patched_.errors), "cherenkov:", "bunches");
    for (const std::string& line : said.others) note("the patched program said: " + line);
    const bool printed = !said.line.empty();
    if (printed) {
      light["summary"] = said.line;
      light["backend"] = said.values["backend"];
      for (const char* key : {"steps", "left_to_corsika", "bunches", "traced", "skipped"})
        light[key] = number_in(said.values, key);
    }
    const std::string in_run = stage_in_run(light, set_.cherenkov_stage);
    light["in_run"] = in_run;
    if (printed ? said.others.empty() && number_at(light, "steps") < number_at(light, "left_to_corsika")
                : light["made"] || light["asked"] != "auto")
      note("the Cherenkov stage " + in_run);
    if (printed && light["asked"] == "gpu" && light["backend"] != "gpu")
      note("the Cherenkov stage was asked for on a GPU and ran on the CPU");
  }

  /// Counts a comparison of two runs into the whole identity, which keeps the first one that differs, else
  /// the first one that could not be made.
  void count_identity(Identity identity, const std::string& what) {
    if (identity.identical || identity_.differs()) return;
    if (!identity.differs() && !identity_.identical) return;
    for (std::string& reason : identity.reasons) reason = fmt::format("{}: {}", what, reason);
    if (!identity.differs())
      identity.could_not_compare = fmt::format("{}: {}", what, identity.could_not_compare);
    identity_ = std::move(identity);
  }

  /// The verdict where a run did not come to its end: the programs differ where stock's run ended and the
  /// other one did not, by what its program did. A full disk is the caller's to tell, and a card that stock
  /// refuses.
  void count_failure(const RunFailed& failure) {
    using Why = RunFailed::Why;
    if (failure.why == Why::disk_full || (failure.why == Why::card && failure.label == "stock"))
      throw failure;
    identity_.identical = false;
    if (failure.label != "stock" && failure.by_the_program())
      identity_.reasons.emplace_back(failure.what());
    else if (identity_.reasons.empty())
      identity_.could_not_compare = failure.what();
    if (!identity_.reasons.empty()) identity_.could_not_compare.clear();
  }

  /// One run of a part alone. Its outputs must be stock's, too.
  void run_part(Json& into, const std::string& build, const std::string& what, const RunResult& stock,
                const Environment& environment = {}) {
    const RunResult result = runs_.run(build, what, {}, environment);
    count_in(into, result);
    Identity identity = compare_runs(stock, result);
    Json& all = report_["identity"]["parts_identical"];
    all = all != false && identity.identical;
    if (identity.identical) runs_.remove(result);
    count_identity(std::move(identity), fmt::format("{} {}", text_at(into, "build"), into["cpu_s"].size()));
  }

  /// Makes what follows the timed runs. Where it fails the report says so, and keeps what the timed runs
  /// gave.
  void run_the_rest() {
    const auto without_loss = [&](bool asked, const char* lacks, auto step) {
      try {
        if (asked) (this->*step)();
      } catch (const support::Interrupted&) {
        throw;
      } catch (const std::exception& problem) {
        note(fmt::format("{}: {}", lacks, problem.what()));
      }
    };
    const bool light = stage_took_light(report_["cherenkov"]);
    for (ProfileCategory& category : categories_) {
      if (light && category.accelerated_with == "cherenkov") category.accelerated = true;
      report_["categories"].push_back(
          {{"name", category.name}, {"title", category.title}, {"accelerated", category.accelerated}});
    }
    without_loss(*options_.shipped_repeats > 0, "no times of stock as shipped", &Comparison::run_shipped);
    without_loss(*options_.sampled_repeats > 0, "no shares of CPU time", &Comparison::run_sampled_pairs);
    without_loss(options_.gprof, "no gprof profile", &Comparison::run_gprof);
    run_card_command();
  }

  /// Stock as CORSIKA ships it, timed.
  void run_shipped() {
    Json runs = runs_json("stock-shipped", "stock-shipped");
    for (int i = 1; i <= *options_.shipped_repeats; ++i) {
      const RunResult result = runs_.run("stock-shipped", std::to_string(i));
      count_in(runs, result);
      if (i == 1 && !compare_runs(stock_, result).identical)
        note(fmt::format("stock as shipped and stock with flags {} leave different outputs", set_.flags));
      runs_.remove(result);
    }
    report_["runs"].push_back(runs);
  }

  /// Pairs of runs under the CPU sampler, whose samples are counted into categories.
  void run_sampled_pairs() {
    Attribution stock, patched;
    bool same = true;
    for (int pair = 1; pair <= *options_.sampled_repeats; ++pair)
      for (const auto& [build, into] : {std::pair{"stock-sampled", &stock}, {"patched-sampled", &patched}}) {
        const RunResult result = runs_.run(build, std::to_string(pair), {}, {}, true);
        same = compare_runs(stock_, result).identical && same;
        attribute(read_cpu_samples(samples_of(result)), set_.programs.at(build), categories_, *into);
        runs_.remove(result);
      }
    report_["identity"]["sampled_outputs_identical"] = same;
    report_["sampler"] = {{"stock", samples_json(stock, categories_)},
                          {"patched", samples_json(patched, categories_)}};
    if (!same) note("the outputs of runs under the sampler differ from those of the plain stock run");
    if (!stock.lines || !patched.lines)
      note(
          "no source lines for a sampled build (is addr2line installed?): draws inlined at call sites are "
          "not counted as the generator's");
  }

  /// One run of each program under gprof.
  void run_gprof() {
    constexpr std::size_t kRows = 25;
    Json& gprof = report_["gprof"];
    for (const std::string build : {"stock", "patched"}) {
      const RunResult result = runs_.run(build + "-gprof", "1");
      Json rows = read_gprof(set_.programs.at(build + "-gprof"), result.folder / "gmon.out");
      const auto [share, draws] = gprof_of(rows, generator_of(categories_));
      gprof["share_" + build] = share;
      if (build == "stock") report_["rng"]["calls"] = draws;
      if (rows.size() > kRows) rows.erase(rows.begin() + kRows, rows.end());
      gprof["flat_" + build] = rows;
      runs_.remove(result);
    }
  }

  /// The command behind `TELFIL |command`: it runs once for each program, on the bytes that the first pair of
  /// runs sent. It writes in their folders, so this comes last. Where it fails, the verdict on the bytes
  /// stays.
  void run_card_command() {
    const auto command = telescope_command(Card(set_.card));
    if (!command || !contains(set_.profile.options, "IACT")) return;
    Json& failed = report_["identity"]["command_failed"];
    for (const auto& [program, run] : {std::pair{"stock", &stock_}, {"patched", &patched_}}) {
      if (!fs::exists(run->folder / kPipedTelescopeData)) continue;  // it got nothing
      const double limit_s = options_.timeout_s > 0 ? options_.timeout_s : std::max(600.0, 20 * run->wall_s);
      const std::string why =
          run_behind_telescope_pipe(*command, run->folder, run->folder.parent_path() / "command.log",
                                    std::chrono::milliseconds(static_cast<long>(1000 * limit_s)));
      if (!why.empty() && failed.is_null())
        failed = fmt::format("your command (TELFIL |{}) {} on the light of {}", *command, why, program);
    }
    if (failed.is_null())
      note(
          fmt::format("the light went into a command (TELFIL |{}): the bytes of the pipe were compared, and "
                      "the command ran once on those of each program and succeeded",
                      *command));
  }

  BuildSet set_;  ///< with the tables of the first run
  const CompareOptions& options_;
  Categories categories_;
  Json report_;
  Identity identity_;
  std::vector<std::string> table_differences_;  ///< one sentence a table that differs
  RunFolders runs_;
  RunResult stock_, patched_;  ///< the first pair
};

}  // namespace

Json compare_programs(const BuildSet& set, const CompareOptions& asked) {
  CompareOptions options = with_defaults(asked);
  Json report = begun_report(set, options);
  const auto have = [&](const char* build) { return set.programs.contains(build); };
  const bool sampler = !find_sampler().empty();
  if (*options.sampled_repeats > 0 && !sampler)
    add_note(report,
             "libcpu_sampler.so was not found, so there are no shares of CPU time; build the whole project");
  if (!sampler || !have("stock-sampled") || !have("patched-sampled")) options.sampled_repeats = 0;
  if (!have("stock-gprof") || !have("patched-gprof")) options.gprof = false;
  if (!have("stock-shipped")) options.shipped_repeats = 0;
  const bool light = report["cherenkov"]["made"] && options.cherenkov != "off";
  return Comparison(set, options, std::move(report),
                    planned_runs(options, light ? (have("patched-stage") ? 2 : 1) : 0))
      .make();
}

}  // namespace overlay
