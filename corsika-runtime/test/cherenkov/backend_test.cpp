// What the environment can ask for; and how many numbers CORSIKA has drawn for light.
#include "corsika_runtime/cherenkov/backend.hpp"

#include <gtest/gtest.h>

#include "corsika_runtime/cherenkov/light_numbers.hpp"

namespace {

using cherenkov::corsika::stage_requested_by;

TEST(Backend, WhatCanBeAskedFor) {
  const struct {
    const char *backend, *threads, *unproven;
    cherenkov::corsika::RequestedStage stage;
  } kCases[] = {{"", "", "", {}},
                {"cpu", "0", "0", {}},
                {"auto", "", "", {}},
                {"off", "", "", {.is_off = true}},
                {"gpu", "", "", {.device = true}},
                {"check", "", "", {.check_every = 1}},
                {"check-gpu", "", "", {.device = true, .check_every = 1}},
                {"check:1", "", "", {.check_every = 1}},
                {"check:1000000000", "", "", {.check_every = 1000000000}},
                {"", "1", "yes", {.helper_thread = true, .unproven = true}}};
  for (const auto& one : kCases)
    EXPECT_EQ(stage_requested_by(one.backend, one.threads, one.unproven), one.stage) << one.backend;
}

TEST(Backend, AnythingElseIsAnErrorThatSaysWhatToGive) {
  const struct {
    std::vector<std::string> values;
    std::string variable, give;
  } kCases[] = {{{"CPU", "cpu ", "of", "cuda", "0", "checks"},
                 "CHERENKOV_BACKEND",
                 "off, cpu, gpu, auto, check, check-gpu or check:N"},
                {{"check:", "check:0", "check:-1", "check: 5", "check:5x", "check:1000000001"},
                 "CHERENKOV_BACKEND",
                 "check or check:N, with N from 1 to 1000000000"},
                {{"2", "-1", "01", "one", " 1"}, "CHERENKOV_THREADS", "0 or 1"}};
  for (const auto& [values, variable, give] : kCases)
    for (const std::string& value : values) try {
        const bool is_backend = variable == "CHERENKOV_BACKEND";
        stage_requested_by(is_backend ? value : "", is_backend ? "" : value, "");
        ADD_FAILURE() << value;
      } catch (const std::invalid_argument& e) {
        EXPECT_EQ(e.what(), variable + " cannot be '" + value + "'; give " + give);
      }
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

// RNMSKP takes a 32-bit count; the azimuths of a step may be more.
TEST(LightNumbers, ManyAreSteppedOverInParts) {
  static std::uint64_t stepped;
  cherenkov::corsika::Routines routines{};
  routines.step_over = [](const int* n, const int*) { stepped += static_cast<std::uint64_t>(*n); };
  for (const std::uint64_t n : {0ULL, 1ULL, 1ULL << 30, (1ULL << 30) + 1, 5'000'000'007ULL}) {
    stepped = 0;
    cherenkov::corsika::CorsikaNumbers(routines).step_over(n);
    EXPECT_EQ(stepped, n);
  }
}

}  // namespace
