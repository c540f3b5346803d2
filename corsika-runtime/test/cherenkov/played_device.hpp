// A device played by the CPU: it answers as a device would, and fails where a test tells it to.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "corsika_runtime/cherenkov/device_batches.hpp"
#include "ranmar/generator.hpp"

namespace cherenkov::test {

using corsika::DeviceBatches;
using corsika::kBatchNumbers;
using corsika::kBatchSegments;

// What it was asked for, and where it fails.
struct Script {
  int events = 0, submits = 0, waits = 0;
  int fail_event = 0, fail_submit = 0, fail_wait = 0, cannot_tell = 0;  // at which call; 0: never
  std::uint64_t max_segments = 0, max_numbers = 0;
};

class PlayedDevice : public DeviceBatches {
 public:
  explicit PlayedDevice(Script& script) : script_(script) {}
  void begin_event(const ranmar::State<ranmar::Form48>& start, const ArrayGeometry& geometry) override {
    if (++script_.events == script_.fail_event) throw std::runtime_error("played: no event");
    last_ = 0;
    start_ = start;
    geometry_ = geometry;
  }
  StepSegment* segments() override { return memory_[filling_].data(); }
  void submit(int n, std::uint64_t first, std::uint64_t end) override {
    EXPECT_TRUE(n > 0 && n <= kBatchSegments);
    EXPECT_LE(end - first, kBatchNumbers);
    EXPECT_LE(last_, first) << "positions rise";
    last_ = end;
    script_.max_segments = std::max(script_.max_segments, static_cast<std::uint64_t>(n));
    script_.max_numbers = std::max(script_.max_numbers, end - first);
    if (++script_.submits == script_.fail_submit) throw std::runtime_error("played: no launch");
    ranmar::Generator<ranmar::Form48> generator(ranmar::Backend::kReference, 1);
    generator.set_state(1, start_);
    generator.skip(1, static_cast<std::int64_t>(first));
    std::vector<double> numbers(end - first);
    generator.fill(1, numbers.data(), numbers.size());
    choose_on_host({segments(), static_cast<std::size_t>(n)}, numbers, first, geometry_,
                   answers_.emplace_back());
    filling_ = 1 - filling_;
    EXPECT_LE(answers_.size(), 2U);
  }
  bool wait(std::vector<CandidateBunch>& chosen) override {
    if (++script_.waits == script_.fail_wait) throw std::runtime_error("played: lost");
    const std::vector<CandidateBunch> answer = std::move(answers_.front());
    answers_.pop_front();
    if (script_.waits == script_.cannot_tell) return false;
    chosen.insert(chosen.end(), answer.begin(), answer.end());
    return true;
  }
  [[nodiscard]] std::string name() const override { return "played"; }

 private:
  Script& script_;
  ranmar::State<ranmar::Form48> start_;
  ArrayGeometry geometry_;
  std::array<std::vector<StepSegment>, 2> memory_{std::vector<StepSegment>(kBatchSegments),
                                                  std::vector<StepSegment>(kBatchSegments)};
  std::size_t filling_ = 0;
  std::uint64_t last_ = 0;
  std::deque<std::vector<CandidateBunch>> answers_;
};

}  // namespace cherenkov::test
