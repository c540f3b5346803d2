// Plans of productions: reading, the runs that follow, and writing. The input is a production.toml; its
// checksum is made to fit.
#include "overlay/production/plan.hpp"

#include "fuzz.hpp"
#include "support/checksum.hpp"

namespace fuzz::plan {
namespace {

using namespace overlay;
namespace fs = std::filesystem;

const char* const kTemplate = "RUNNR {RUNNR}\nNSHOW {NSHOW}\n{SEEDS}\nEXIT\n";

bool same(const ProductionSetting& a, const ProductionSetting& b) {
  return (a.zenith == b.zenith || (a.zenith != a.zenith && b.zenith != b.zenith)) &&
         a.atmosphere == b.atmosphere && a.primary == b.primary && a.values == b.values;
}

void check_run(const ProductionPlan& plan, std::int64_t number) {
  const auto run = planned_run(plan, number);
  fuzz::require(run.number == number && run.setting < plan.settings.size(),
                "a run has a setting of the plan");
  fuzz::require(run.starts.size() == static_cast<std::size_t>(plan.sequences),
                "a run has a start for each sequence");
  for (const auto& start : run.starts)
    fuzz::require(start.seed >= 1 && start.seed <= 900000000 && start.calls >= 0 &&
                      start.calls < 1000000000 && start.billions >= 0,
                  "a run's seeds are seeds");
  fuzz::refusal([&] { run_card(plan, kTemplate, run); });
  fuzz::require(!results_folder(plan, number).empty() && run_of_text(run_name(number)) == number,
                "a run's name is its number");
}

/// Written and read again, a plan is the same.
void write_and_read(const ProductionPlan& plan) {
  const fs::path other = fuzz::folder() / "other";
  fs::create_directories(other);
  if (fuzz::refusal([&] { write_plan(plan, kTemplate, other); })) return;
  const auto again = read_plan(other);
  fuzz::require(again.name == plan.name && again.options == plan.options && again.outputs == plan.outputs &&
                    again.program == plan.program && again.stock == plan.stock &&
                    again.profile == plan.profile && again.flags == plan.flags &&
                    again.tunables == plan.tunables && again.standin == plan.standin,
                "a plan that was written is read as the same: texts");
  fuzz::require(again.first_run == plan.first_run && again.runs_per_setting == plan.runs_per_setting &&
                    again.showers == plan.showers && again.seeds == plan.seeds &&
                    again.sequences == plan.sequences && again.first_place == plan.first_place &&
                    again.stride == plan.stride,
                "a plan that was written is read as the same: numbers");
  fuzz::require(again.settings.size() == plan.settings.size(),
                "a plan that was written has the same settings");
  for (std::size_t i = 0; i < plan.settings.size(); ++i)
    fuzz::require(same(again.settings[i], plan.settings[i]), "a plan that was written has the same settings");
  changed_files(again, other);
}

}  // namespace

FUZZ_TARGET(plan) {
  const std::string text = input.rest();
  fuzz::file("production.toml", text);
  fuzz::file("production.toml.sha256", support::sha256_of_text(text) + "  production.toml\n");
  ProductionPlan plan;
  if (fuzz::refusal([&] { plan = read_plan(fuzz::folder()); })) return;
  check_run(plan, plan.first_run);
  check_run(plan, plan.last_run());
  fuzz::require(fuzz::refusal([&] { planned_run(plan, plan.last_run() + 1); }).has_value(),
                "a plan has no run behind its last one");
  constexpr std::int64_t kMostRuns = 100;  // that are written
  if (plan.run_count() <= kMostRuns) write_and_read(plan);
}

}  // namespace fuzz::plan
