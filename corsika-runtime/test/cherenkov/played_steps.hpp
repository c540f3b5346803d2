// A played (faked) device: answers on the CPU, at once, with the device's own formulas.
#pragma once

#include <atomic>
#include <stdexcept>

#include "corsika_runtime/cherenkov/device_steps.hpp"

namespace cherenkov::test {

// Of step i of a chunk.
inline StepArguments arguments_of(const corsika::RecordedSteps& chunk, int i) {
  const corsika::ChargedStep c = chunk.step(i);
  const corsika::IndicesOfStep n = chunk.indices(i);
  return {c.length, c.u,     c.v,     c.w,    c.begin_energy, c.end_energy, c.x_begin, c.y_begin, c.z_begin,
          c.x_end,  c.y_end, c.z_end, c.mass, c.charge,       c.weight,     n.begin,   n.middle,  n.end};
}

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

  void begin_event(const EventView& event) override {
    ++script_.events;
    view_ = event;
    script_.has_indices = event.indices.cells != 0;
  }
  void begin_event(const CurvedEventView& event) override {
    ++script_.events;
    range_.assign(event.bin, event.bin + event.bins);
    curved_view_ = event;
    curved_view_.bin = range_.data();
  }
  std::span<const StepAnswer> answer(const corsika::RecordedSteps* chunks, int count, double total_power,
                                     const double* bin_powers) override {
    begin();
    script_.counts.push_back(count);
    for (int i = 0; i < count; ++i) {
      StepArguments step = arguments_of(chunks[i / corsika::kChunkSteps], i % corsika::kChunkSteps);
      if (view_.indices.cells != 0) step.index_begin = step.index_middle = step.index_end = NAN;  // not read
      StepJudge<OneLane> judge(step, view_, {});
      StepAnswer answer = judge.answer(total_power, bin_powers);
      judge.add_details(answer);
      add(answer);
      if (answers_.back().verdict == Verdict::kDetailed)
        ++(answer.sectors != 0 ? script_.seen : script_.shared);
    }
    return answers_;
  }
  std::span<const StepAnswer> answer(const CurvedLoop* loops, int count, double total_power,
                                     const double* bin_powers) override {
    begin();
    for (int i = 0; i < count; ++i)
      add(CurvedJudge<OneLane>(loops[i], curved_view_, {}).answer(total_power, bin_powers));
    return answers_;
  }

 private:
  void begin() {
    if (++script_.batches == script_.fails_at_batch) throw std::runtime_error("played: the device fails");
    answers_.clear();
  }
  void add(const StepAnswer& judged) {
    StepAnswer& answer = answers_.emplace_back(judged);
    if (answer.verdict == Verdict::kUnseen) ++script_.unseen;
    if (script_.sums_unknown)
      for (SumTerms* terms : {&answer.total, &answer.in_bin, &answer.in_next_bin})
        terms->at_power = terms->at_twice = NAN;
    if (script_.host_every != 0 && (answers_.size() - 1) % static_cast<std::size_t>(script_.host_every) == 0)
      answer.verdict = Verdict::kHost;
  }

  StepsScript& script_;
  std::vector<DistanceRange> range_;
  CurvedEventView curved_view_{};
  EventView view_{};
  std::vector<StepAnswer> answers_;
};

}  // namespace cherenkov::test
