// runs.tsv: one line a run, all of the same length. Computes text.
#include "overlay/production/runs_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace overlay {

std::string start_text(const SequenceStart& start, SeedMode mode) {
  return mode == SeedMode::planned ? std::to_string(start.seed)
                                   : fmt::format("{}+{}+{}", start.seed, start.calls, start.billions);
}

RunsTable::RunsTable(const ProductionPlan& plan) : plan_(plan) {
  run_width_ = std::max<std::size_t>(6, std::to_string(plan.last_run()).size());
  header_ = fmt::format("{:<{}}", "run", run_width_);
  const auto first = planned_run(plan, plan.first_run), last = planned_run(plan, plan.last_run());
  for (std::size_t i = 0; i < last.starts.size(); ++i) {
    const auto name = fmt::format("seed{}", i + 1);
    // With offsets a line in the middle may have more digits than the last one: 9 is the most that calls
    // have.
    const auto width =
        plan.seeds == SeedMode::planned
            ? start_text(last.starts[i], plan.seeds).size()
            : fmt::format("{}+999999999+{}", last.starts[i].seed, last.starts[i].billions).size();
    seed_widths_.push_back(std::max(name.size(), width));
    header_ += fmt::format("\t{:<{}}", name, seed_widths_.back());
  }
  std::size_t widths[4] = {7, 6, 10, 7};  // of the columns' names
  for (std::size_t i = 0; i < plan.settings.size(); ++i) {
    const auto& setting = plan.settings[i];
    const std::size_t needed[4] = {std::to_string(i).size(), fmt::format("{}", setting.zenith).size(),
                                   std::to_string(setting.atmosphere).size(), setting.primary.size()};
    for (int k = 0; k < 4; ++k) widths[k] = std::max(widths[k], needed[k]);
  }
  for (std::size_t i = 0; i < plan.settings.size(); ++i) {
    const auto& setting = plan.settings[i];
    setting_texts_.push_back(fmt::format("\t{:<{}}\t{:<{}}\t{:<{}}\t{:<{}}\n", i, widths[0],
                                         fmt::format("{}", setting.zenith), widths[1], setting.atmosphere,
                                         widths[2], setting.primary, widths[3]));
  }
  header_ += fmt::format("\t{:<{}}\t{:<{}}\t{:<{}}\t{:<{}}\n", "setting", widths[0], "zenith", widths[1],
                         "atmosphere", widths[2], "primary", widths[3]);
  line_bytes_ = header_.size();
}

void RunsTable::append(std::string& text, const PlannedRun& run) const {
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{:0{}}", run.number, run_width_);
  for (std::size_t i = 0; i < run.starts.size(); ++i)
    fmt::format_to(out, "\t{:<{}}", start_text(run.starts[i], plan_.seeds), seed_widths_[i]);
  text += setting_texts_[run.setting];
}

}  // namespace overlay
