// A played (faked) device: answers on the CPU, at once, with the device's own formulas.
#pragma once

#include <atomic>
#include <stdexcept>
#include <vector>

#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "step_verdict.hpp"

namespace cherenkov::test {

// What the fake does, and what it was asked.
struct StepsScript {
  std::atomic<int> batches = 0, events = 0;
  std::atomic<int> fails_at_batch = 0;  // from 1 on
  bool all_to_host = false;
};

class PlayedSteps final : public corsika::DeviceSteps {
 public:
  explicit PlayedSteps(StepsScript& script) : script_(script) {}

  void begin_event(const corsika::EventSettings& event) override {
    ++script_.events;
    const Spheres& s = *event.spheres;
    const RefractionModel& r = *event.refraction;
    view_ = {event.plan,
             s.x().data(),
             s.y().data(),
             s.z().data(),
             s.tested_radius().data(),
             static_cast<int>(s.x().size()),
             s.top(),
             r.k().data(),
             r.error().data(),
             static_cast<int>(r.k().size()),
             r.low(),
             r.per_cm(),
             event.edge,
             event.bins};
  }
  void submit(const corsika::StepChunk* chunks, int count, double total_power,
              const double* bin_powers) override {
    if (++script_.batches == script_.fails_at_batch) throw std::runtime_error("played: the device fails");
    powers_.assign(bin_powers, bin_powers + view_.bins + 1);
    total_power_ = total_power;
    answers_.clear();
    for (int i = 0; i < count; ++i) {
      answers_.push_back(
          corsika::StepJudge<corsika::OneLane>(
              corsika::arguments_of(chunks[i / corsika::kChunkSteps], i % corsika::kChunkSteps), view_, {})
              .answer(total_power, powers_.data()));
      if (script_.all_to_host) answers_.back().verdict = corsika::Verdict::kHost;
    }
  }
  corsika::AnsweredSteps wait() override { return {answers_, total_power_, powers_.data()}; }
  [[nodiscard]] int under_way() const override { return 0; }
  [[nodiscard]] std::string name() const override { return "played"; }

 private:
  StepsScript& script_;
  corsika::EventView view_{};
  std::vector<double> powers_;
  std::vector<corsika::StepAnswer> answers_;
  double total_power_ = 0.;
};

}  // namespace cherenkov::test
