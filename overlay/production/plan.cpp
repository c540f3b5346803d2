// The plan of a production: production.toml, written once and read by everything; its runs by arithmetic; and
// where things are in its folder.
#include "overlay/production/plan.hpp"

#include <algorithm>

#include "overlay/build/profile.hpp"
#include "overlay/card/card.hpp"
#include "support/checksum.hpp"
#include "support/process.hpp"

namespace overlay {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunRange, first_run, runs_per_setting, first_place)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProductionSetting, zenith, atmosphere, primary, values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProductionPlan, name, overlay_version, corsika_version, corsika_sha256,
                                   profile, options, substitutes, flags, compilers, program, stock, ranges,
                                   showers, keep_light, settings, seeds, sequences, stride, class_policy,
                                   tunables, after, files)

namespace {

constexpr std::int64_t kPlanFormat = 3;
constexpr const char* kPlanFile = "production.toml";

/// An object as a table of TOML: what holds none, then the tables in it. `above`: before the tables' names.
std::string toml_of(const nlohmann::json& object, const std::string& above = "") {
  std::string text, tables;
  for (const auto& [key, value] : object.items()) {
    const bool list = value.is_array() && !value.empty() && value[0].is_object();
    const auto name = above + key;
    for (const auto& table : list ? value : nlohmann::json::array({value}))
      if (table.is_object())
        tables += "\n" + (list ? "[[" + name + "]]" : "[" + name + "]") + "\n" + toml_of(table, name + ".");
      else
        text += fmt::format("{} = {}\n", key.find_first_of("./") == std::string::npos ? key : toml_text(key),
                            toml_text(value));
  }
  return text + tables;
}

nlohmann::json read_toml(const fs::path& file) { return json_of(support::toml_as_json(file, "plan")); }

/// Takes the values of a file's table. Throws support::Error where one is not there, or of another type.
template <class T>
void take(const fs::path& file, const nlohmann::json& table, T& into) try {
  table.get_to(into);
} catch (const nlohmann::json::exception& problem) {
  throw support::Error("{} is not as overlay wrote it ({}); restore it", file.string(), problem.what());
}

std::string runs_text(const ProductionPlan& plan, const RunRange& range) {
  std::string text = "run";
  for (int sequence = 1; sequence <= plan.sequences; ++sequence) text += fmt::format("\tseed{}", sequence);
  text += "\tsetting\tzenith\tatmosphere\tprimary\n";
  for (auto number = range.first_run; number < range.first_run + plan.runs_of(range); ++number) {
    const PlannedRun run = planned_run(plan, number);
    text += run_name(number);
    for (const auto& [seed, calls, billions] : run.seeds)
      text += plan.offsets() ? fmt::format("\t{}+{}+{}", seed, calls, billions) : fmt::format("\t{}", seed);
    const auto& setting = plan.settings[run.setting];
    text +=
        fmt::format("\t{}\t{}\t{}\t{}\n", run.setting, setting.zenith, setting.atmosphere, setting.primary);
  }
  return text;
}

/// The file that adds range `number`, from 1, to a production.
std::string extension_file(std::size_t number) { return fmt::format("extension-{}.toml", number); }

constexpr const char* kExtensionSum = "sha256 = ";

std::string with_sum(const std::string& body) {
  return fmt::format("{}{}\"{}\"\n", body, kExtensionSum, support::sha256_of_text(body));
}

/// Reads what was added to the plan.
void read_extensions(ProductionPlan& plan) {
  std::error_code error;
  for (std::size_t number = 1; fs::exists(plan.folder / extension_file(number), error); ++number) {
    const auto file = plan.folder / extension_file(number);
    const auto text = support::read_file(file), body = text.substr(0, text.rfind(kExtensionSum));
    const auto table = read_toml(file);
    if (table.value("plan", "") != plan.digest || text != with_sum(body))
      throw support::Error("{} was changed, or is of another production; restore it", file.string());
    take(file, table, plan.ranges.emplace_back());
  }
}

/// Throws support::Error where numbers or seeds of a range are out of bounds.
void check_range(const ProductionPlan& plan, const RunRange& range, std::int64_t largest) {
  const auto count = static_cast<std::int64_t>(plan.settings.size());
  if (count < 1 || range.runs_per_setting < 1 || range.runs_per_setting > largest / count)
    throw support::Error("a production cannot have {} runs of {} settings; give 1 to {} runs in sum",
                         range.runs_per_setting, count, largest);
  if (range.first_run < 1 || range.first_run > largest - plan.runs_of(range) + 1)
    throw support::Error(
        "{} runs cannot have numbers from {} on; CORSIKA takes 1 to {}: give another --first-run{}",
        plan.runs_of(range), range.first_run, largest,
        largest > 999'999 ? "" : ", or a profile with the option NRREXT");
  if (range.first_place < 0 || range.first_place > kPlaces - plan.places(range))
    throw support::Error(
        "{} runs from place {} of the ledger on need seeds above {}, which event headers do not hold "
        "exactly; a ledger has {} places: give fewer runs, --seeds offsets, or another --ledger",
        plan.places(range), range.first_place, kSeedLimit, kPlaces);
}

}  // namespace

std::int64_t ProductionPlan::runs_of_setting() const {
  std::int64_t runs = 0;
  for (const auto& range : ranges) runs += range.runs_per_setting;
  return runs;
}

std::int64_t ProductionPlan::run_at(std::int64_t index) const {
  for (const auto& range : ranges) {
    if (index >= 0 && index < runs_of(range)) return range.first_run + index;
    index -= runs_of(range);
  }
  return -1;
}

std::int64_t ProductionPlan::index_of(std::int64_t run) const {
  std::int64_t before = 0;
  for (const auto& range : ranges) {
    const auto index = run - range.first_run;
    if (index >= 0 && index < runs_of(range)) return before + index;
    before += runs_of(range);
  }
  return -1;
}

std::string ProductionPlan::run_numbers() const {
  std::vector<std::string> texts;
  for (const auto& range : ranges)
    texts.push_back(fmt::format("{} to {}", range.first_run, range.first_run + runs_of(range) - 1));
  return support::join(texts, ", ");
}

void check_plan(const ProductionPlan& plan) {
  // Event headers hold millions of skipped numbers as a 32-bit float: exact below 2^24 of them.
  constexpr std::int64_t kMillion = 1'000'000, kOffsetLimit = (std::int64_t{1} << 24) * kMillion;
  const bool long_numbers =
      std::find(plan.options.begin(), plan.options.end(), "NRREXT") != plan.options.end();
  std::int64_t before = 0;
  for (const auto& range : plan.ranges) {
    check_range(plan, range, long_numbers ? 999'999'999 : 999'999);
    if (range.first_run <= before)
      throw support::Error(
          "runs that are added need numbers above {}, the last run's; give another --first-run", before);
    before = range.first_run + plan.runs_of(range) - 1;
  }
  if (plan.sequences < 1 || plan.sequences > kSeedsOfRun)
    throw support::Error("a run cannot have {} sequences; give 1 to {}", plan.sequences, kSeedsOfRun);
  if (!plan.offsets()) return;
  if (plan.stride < kMillion || plan.stride % kMillion != 0)
    throw support::Error("--stride cannot be {}; give numbers per run, in whole millions", plan.stride);
  if (plan.run_count() > kOffsetLimit / plan.stride)
    throw support::Error(
        "{} runs of {} numbers pass {}, beyond which event headers do not hold an offset exactly; give at "
        "most {} runs, or a smaller --stride",
        plan.run_count(), plan.stride, kOffsetLimit, kOffsetLimit / plan.stride);
}

ProductionPlan read_plan(const fs::path& folder) {
  const auto file = folder / kPlanFile;
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    throw support::Error(
        "{} is no production: it has no production.toml; give a folder that overlay production new made",
        folder.string());
  ProductionPlan plan;
  plan.folder = folder;
  plan.digest = support::read_file(folder / "production.toml.sha256").substr(0, 64);
  if (support::sha256_of_file(file) != plan.digest)
    throw support::Error("{} was changed: production.toml.sha256 has another checksum; restore it",
                         file.string());
  const auto table = read_toml(file);
  if (table.value("format", nlohmann::json()) != kPlanFormat)
    throw support::Error("{} has a format that this overlay does not know; use its bin/overlay",
                         file.string());
  take(file, table, plan);
  read_extensions(plan);
  check_plan(plan);
  return plan;
}

void write_plan(ProductionPlan plan, const std::string& card_template, const fs::path& folder) {
  check_plan(plan);
  run_card(plan, card_template, planned_run(plan, plan.ranges.front().first_run));  // every place has a value
  support::write_file(folder / "runs.tsv", runs_text(plan, plan.ranges.front()));
  support::write_file(folder / "card.template", card_template);
  for (const char* name : {"runs.tsv", "card.template"})
    plan.files[name] = support::sha256_of_file(folder / name);
  nlohmann::json table = plan;
  table["format"] = kPlanFormat;
  const auto text =
      "# The plan of a production, frozen when it was made. production.toml.sha256 holds its checksum.\n" +
      toml_of(table);
  support::write_file(folder / kPlanFile, text);
  support::write_file(folder / "production.toml.sha256",
                      support::sha256_of_text(text) + "  production.toml\n");
}

void write_extension(const ProductionPlan& plan) {
  check_plan(plan);
  const auto& range = plan.ranges.back();
  const auto file = plan.folder / extension_file(plan.ranges.size() - 1);
  nlohmann::json table = range;
  table["plan"] = plan.digest;
  support::write_file(fs::path(file).replace_extension(".tsv"), runs_text(plan, range));
  support::write_file(
      file,
      with_sum("# Runs that were added to a production. The last line has the checksum of those before.\n" +
               toml_of(table)));
}

PlannedRun planned_run(const ProductionPlan& plan, std::int64_t run) {
  const std::int64_t index = plan.index_of(run);
  if (index < 0)
    throw support::Error("production {} has no run {}; it has runs {}", plan.name, run, plan.run_numbers());
  const auto range = std::find_if(plan.ranges.rbegin(), plan.ranges.rend(),
                                  [run](const RunRange& each) { return run >= each.first_run; });
  const std::int64_t in_range = run - range->first_run,
                     place = plan.offsets() ? plan.ranges.front().first_place : range->first_place + in_range,
                     skipped = plan.offsets() ? index * plan.stride : 0;
  PlannedRun planned{run, {}, static_cast<std::size_t>(in_range / range->runs_per_setting)};
  for (int sequence = 1; sequence <= plan.sequences; ++sequence)
    planned.seeds.push_back({planned_seed(place, sequence), skipped % kBillion, skipped / kBillion});
  return planned;
}

std::string run_card(const ProductionPlan& plan, const std::string& card_template, const PlannedRun& run) {
  auto values = plan.settings.at(run.setting).values;
  values["RUNNR"] = std::to_string(run.run);
  values["NSHOW"] = std::to_string(plan.showers);
  std::vector<std::string> seeds;
  for (const auto& start : run.seeds)
    seeds.push_back(fmt::format("SEED {} {} {}", start.seed, start.calls, start.billions));
  values["SEEDS"] = support::join(seeds, "\n");
  return filled_in(card_template, values);
}

std::vector<std::string> changed_files(const ProductionPlan& plan, const std::string& under) {
  std::vector<std::string> changed;
  for (const auto& [name, sum] : plan.files) {
    if (!name.starts_with(under)) continue;
    std::error_code error;
    if (!fs::is_regular_file(plan.folder / name, error))
      changed.push_back(fmt::format("{} is missing; restore it", name));
    else if (support::sha256_of_file(plan.folder / name) != sum)
      changed.push_back(fmt::format(
          "{} is not the file that production.toml names: its checksum differs; restore it", name));
  }
  return changed;
}

std::set<fs::path> paths_in(const fs::path& folder) {
  std::set<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    paths.insert(it->path());
  return paths;
}

std::string run_name(std::int64_t run) { return fmt::format("{:06}", run); }

fs::path results_folder(const ProductionPlan& plan, std::int64_t run) {
  return fs::path("results") / fmt::format("{:03}", plan.index_of(run) / kRunsOfFolder);
}

fs::path manifest_path(const ProductionPlan& plan, std::int64_t run) {
  return results_folder(plan, run) / (run_name(run) + ".json");
}

fs::path attempts_folder(std::int64_t run) { return fs::path("attempts") / run_name(run); }

fs::path quarantine_folder(std::int64_t run) { return fs::path("quarantine") / run_name(run); }

}  // namespace overlay
