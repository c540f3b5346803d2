// A played (faked) device: answers on the CPU, at once, with the device's own formulas.
#pragma once

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "event_view.hpp"

namespace cherenkov::test {

// What the fake does, and what it was asked.
struct StepsScript {
  std::atomic<int> batches = 0, events = 0;
  std::atomic<int> fails_at_batch = 0;  // from 1 on
  std::atomic<int> unseen = 0;          // answers
  std::vector<int> counts;              // of the steps of each batch; to be read when nothing is pending
  std::atomic<int> seen = 0;
  std::atomic<int> shared = 0;            // kDetailed without sectors: in two bins
  std::atomic<bool> has_indices = false;  // in a table
  int host_every = 0;                     // of so many answers one is kHost; 0: none
  bool sums_unknown = false;
};

class PlayedSteps final : public corsika::DeviceSteps {
 public:
  explicit PlayedSteps(StepsScript& script) : script_(script) {}

  void begin_event(const corsika::EventSettings& event) override {
    ++script_.events;
    bins_ = event.bins;
    view_ = view_of(event);
    script_.has_indices = event.indices != nullptr;
  }
  void begin_event(const corsika::CurvedEventSettings& event) override {
    ++script_.events;
    bins_ = event.bins;
    range_.assign(event.bin, event.bin + event.bins);
    curved_view_ = curved_view_of(event, range_.data());
  }
  void submit(const corsika::RecordedSteps* chunks, int count, double total_power,
              const double* bin_powers) override {
    begin(total_power, bin_powers);
    script_.counts.push_back(count);
    for (int i = 0; i < count; ++i) {
      const StepArguments step = arguments_of(chunks[i / corsika::kChunkSteps], i % corsika::kChunkSteps);
      StepJudge<OneLane> judge(step, view_, {});
      add(judge.answer(total_power, powers_.data()));
      details_.push_back(judge.details());
      if (script_.sums_unknown) details_.back().in_next_bin = {NAN, NAN};
      if (answers_.back().verdict == Verdict::kDetailed)
        ++(details_.back().sectors != 0 ? script_.seen : script_.shared);
    }
  }
  void submit(const CurvedLoop* loops, int count, double total_power, const double* bin_powers) override {
    begin(total_power, bin_powers);
    for (int i = 0; i < count; ++i)
      add(CurvedJudge<OneLane>(loops[i], curved_view_, {}).answer(total_power, powers_.data()));
  }
  corsika::AnsweredSteps wait() override { return {answers_, details_, total_power_, powers_.data()}; }
  [[nodiscard]] int under_way() const override { return 0; }
  [[nodiscard]] std::string name() const override { return "played"; }

 private:
  void begin(double total_power, const double* bin_powers) {
    if (++script_.batches == script_.fails_at_batch) throw std::runtime_error("played: the device fails");
    powers_.assign(bin_powers, bin_powers + bins_ + 1);
    total_power_ = total_power;
    answers_.clear();
    details_.clear();
  }
  void add(StepAnswer answer) {
    if (answer.verdict == Verdict::kUnseen) ++script_.unseen;
    if (script_.sums_unknown) answer.total = answer.in_bin = {NAN, NAN};
    if (script_.host_every != 0 && answers_.size() % static_cast<std::size_t>(script_.host_every) == 0)
      answer.verdict = Verdict::kHost;
    answers_.push_back(answer);
  }

  StepsScript& script_;
  int bins_ = 0;
  std::vector<DistanceRange> range_;
  CurvedEventView curved_view_{};
  EventView view_{};
  std::vector<double> powers_;
  std::vector<StepAnswer> answers_;
  std::vector<StepDetails> details_;
  double total_power_ = 0.;
};

}  // namespace cherenkov::test
