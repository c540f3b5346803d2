// What the environment can ask for; and how many numbers CORSIKA has drawn for light.
#include "corsika_runtime/cherenkov/backend.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "corsika_runtime/cherenkov/light_numbers.hpp"

namespace {

using cherenkov::corsika::stage_requested_by;

TEST(Backend, WhatCanBeAskedFor) {
  const struct {
    const char* backend;
    bool is_off, device;
    std::uint64_t every;
  } kNames[] = {{"", false, false, 0},
                {"cpu", false, false, 0},
                {"auto", false, false, 0},
                {"off", true, false, 0},
                {"gpu", false, true, 0},
                {"check", false, false, 1},
                {"check-gpu", false, true, 1},
                {"check:1", false, false, 1},
                {"check:100", false, false, 100},
                {"check:1000000000", false, false, 1000000000}};
  for (const auto& name : kNames) {
    const auto stage = stage_requested_by(name.backend, "", "");
    EXPECT_EQ(stage.is_off, name.is_off) << name.backend;
    EXPECT_EQ(stage.device, name.device) << name.backend;
    EXPECT_EQ(stage.check_every, name.every) << name.backend;
  }
  EXPECT_FALSE(stage_requested_by("", "", "").helper_thread);
  EXPECT_FALSE(stage_requested_by("", "0", "").helper_thread);
  EXPECT_TRUE(stage_requested_by("", "1", "").helper_thread);
  EXPECT_FALSE(stage_requested_by("", "", "0").unproven);
  EXPECT_TRUE(stage_requested_by("", "", "yes").unproven);
}

TEST(Backend, AnythingElseIsAnErrorThatSaysWhatToGive) {
  const auto expect_refused = [](const std::string& backend, const std::string& threads,
                                 const std::string& said) {
    try {
      stage_requested_by(backend, threads, "");
      ADD_FAILURE() << said;
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(e.what(), said);
    }
  };
  for (const std::string name : {"CPU", "cpu ", "of", "cuda", "0", "checks"})
    expect_refused(
        name, "",
        "CHERENKOV_BACKEND cannot be '" + name + "'; give off, cpu, gpu, auto, check, check-gpu or check:N");
  for (const std::string name : {"check:", "check:0", "check:-1", "check: 5", "check:5x", "check:1000000001"})
    expect_refused(
        name, "",
        "CHERENKOV_BACKEND cannot be '" + name + "'; give check or check:N, with N from 1 to 1000000000");
  for (const std::string value : {"2", "-1", "01", "one", " 1"})
    expect_refused("", value, "CHERENKOV_THREADS cannot be '" + value + "'; give 0 or 1");
}

TEST(DrawnForLight, IsOfTheCherenkovSequenceWithItsBillions) {
  cherenkov::corsika::Routines routines{};
  routines.sequence_counters = [](const int* sequence, int* iseed) {
    iseed[0] = 71;
    iseed[1] = *sequence;
    iseed[2] = 2;
  };
  EXPECT_EQ(cherenkov::corsika::CorsikaNumbers(routines).position(), 2000000003U);
}

}  // namespace
