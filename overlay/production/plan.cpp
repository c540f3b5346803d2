// The plan of a production: its runs by arithmetic, and where things are in its folder. Reads the folder.
#include "overlay/production/plan.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>

#include "overlay/production/runs_table.hpp"
#include "overlay/production/seeds.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kRunsOfFolder = 1000;

[[noreturn]] void refuse_run(const ProductionPlan& plan, std::int64_t run) {
  throw support::Error(fmt::format("production {} has no run {}; it has runs {} to {}", plan.name, run,
                                   plan.first_run, plan.last_run()));
}

}  // namespace

const ProductionSetting& ProductionPlan::setting_of(std::int64_t run) const {
  return settings.at(static_cast<std::size_t>(index_of(run) / runs_per_setting));
}

PlannedRun planned_run(const ProductionPlan& plan, std::int64_t run) {
  if (!plan.has_run(run)) refuse_run(plan, run);
  PlannedRun planned;
  planned.number = run;
  planned.index = plan.index_of(run);
  planned.setting = static_cast<std::size_t>(planned.index / plan.runs_per_setting);
  constexpr std::int64_t kBillion = 1'000'000'000;
  for (int sequence = 1; sequence <= plan.sequences; ++sequence) {
    if (plan.seeds == SeedMode::planned) {
      planned.starts.push_back({planned_seed(plan.first_place + planned.index, sequence), 0, 0});
    } else {
      const std::int64_t offset = planned.index * plan.stride;
      planned.starts.push_back(
          {planned_seed(plan.first_place, sequence), offset % kBillion, offset / kBillion});
    }
  }
  return planned;
}

PlannedRun read_run(const ProductionPlan& plan, const fs::path& folder, std::int64_t run) {
  const auto planned = planned_run(plan, run);
  const RunsTable table(plan);
  std::string expected;
  table.append(expected, planned);
  std::string line(expected.size(), '\0');
  const auto file = folder / "runs.tsv";
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const auto offset = static_cast<off_t>(table.line_bytes()) * static_cast<off_t>(planned.index + 1);
  const ssize_t got = fd < 0 ? -1 : pread(fd, line.data(), line.size(), offset);
  if (fd >= 0) close(fd);
  if (got < 0) throw support::Error(fmt::format("cannot read {}; restore it", file.string()));
  if (line != expected)
    throw support::Error(fmt::format(
        "the line of run {} in {} is not what production.toml says; restore the file", run, file.string()));
  return planned;
}

std::string run_card(const ProductionPlan& plan, const std::string& card_template, const PlannedRun& run) {
  auto values = plan.settings.at(run.setting).values;
  values["RUNNR"] = std::to_string(run.number);
  values["NSHOW"] = std::to_string(plan.showers);
  std::vector<std::string> seeds;
  for (const auto& start : run.starts)
    seeds.push_back(fmt::format("SEED {} {} {}", start.seed, start.calls, start.billions));
  values["SEEDS"] = support::join(seeds, "\n");
  std::string card;
  for (std::size_t at = 0;;) {
    const auto open = card_template.find('{', at);
    card += card_template.substr(at, open == std::string::npos ? open : open - at);
    if (open == std::string::npos) return card;
    const auto close = card_template.find('}', open);
    const auto name =
        close == std::string::npos ? std::string() : card_template.substr(open + 1, close - open - 1);
    const auto value = values.find(name);
    if (value == values.end())
      throw support::Error(
          fmt::format("card.template has a place {{{}}} without a value; restore the file", name));
    card += value->second;
    at = close + 1;
  }
}

std::vector<std::string> changed_files(const ProductionPlan& plan, const fs::path& folder) {
  std::vector<std::string> changed;
  for (const auto& [name, sum] : plan.files) {
    std::error_code error;
    if (!fs::is_regular_file(folder / name, error))
      changed.push_back(fmt::format("{} is missing", name));
    else if (support::sha256_of_file(folder / name) != sum)
      changed.push_back(
          fmt::format("{} is not the file that production.toml names: its checksum differs", name));
  }
  return changed;
}

std::int64_t run_of_text(const std::string& text) {
  std::int64_t run = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), run);
  if (error != std::errc() || end != text.data() + text.size() || run < 0)
    throw support::Error(fmt::format("a run cannot be '{}'; give its number", text));
  return run;
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
