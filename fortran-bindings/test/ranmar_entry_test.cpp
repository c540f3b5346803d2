// What the entry points do with numbers that they must refuse, and how they end a run.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "end_run.hpp"
#include "routines.hpp"

extern "C" {
extern void (*ranmar_before_reading)();
void rnmget_(const int* sequence, int* counters);
void rnmexp_(const int* sequence, double* u, double* c, int* indices, int* counters);
void rnmimp_(const int* sequence, const double* u, const double* c, const int* indices, const int* counters);
void rnmsed_(const int* sequence, const int* counters);
}

namespace {

struct FortranEntry : testing::Test {
  void SetUp() override {
    int sequence = 1;
    rmmaqd({1011, 0, 0}, sequence, kSeed);
  }
};

// Far outside, so that a look at the buffer before the check would end in a signal.
TEST_F(FortranEntry, ASequenceOutOfRangeStopsTheRun) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  static constexpr int kOne = 1, kNone = 0;
  static double number = 0.;
  const auto expect_stop = [](auto&& call, int sequence) {
    EXPECT_EXIT(call(sequence), testing::ExitedWithCode(1), "is not in 1\\.\\.9") << sequence;
  };
  for (int sequence : {0, 10, 65, 500000000, -500000000}) {
    expect_stop([](int s) { rnmvec_(&number, &kOne, &s); }, sequence);
    expect_stop([](int s) { rnmone_(&number, &s); }, sequence);
    expect_stop([](int s) { rnmraw_(&number, &s); }, sequence);
  }
  constexpr int kFar = 500000000;
  expect_stop([](int s) { rmmaqd({}, s, kRead); }, kFar);
  expect_stop([](int s) { rmmaqd({}, s, kWriteOut); }, kFar);
  // As a damaged COMMON would have it.
  expect_stop([](int s) { rnmdrw_.last_sequence = s, rnmskp_(&kOne, &kNone); }, kFar);
  expect_stop([](int s) { rnmdrw_.last_sequence = s, rmmard_(&number, &kOne, &kNone); }, kFar);
}

// Draws of Cherenkov light that are not done yet are done first: here one number of sequence 3.
TEST_F(FortranEntry, WhatIsRecordedIsDrawnBefore) {
  static constexpr int kLight = 3;
  int sequence = kLight;
  rmmaqd({3011, 0, 0}, sequence, kSeed);
  static int calls = 0;
  calls = 0;
  ranmar_before_reading = [] {
    double number = 0.;
    rnmone_(&number, &kLight);
    ++calls;
  };
  std::array<double, 97> u{};
  std::array<int, 3> counters{};
  int indices[2] = {0, 0};
  double c = 0.;
  rnmget_(&kLight, counters.data());
  EXPECT_EQ(counters[1], 1);
  rnmexp_(&kLight, u.data(), &c, indices, counters.data());
  EXPECT_EQ(counters[1], 2);
  rnmimp_(&kLight, u.data(), &c, indices, counters.data());
  EXPECT_EQ(calls, 3);
  rnmsed_(&kLight, counters.data());
  EXPECT_EQ(calls, 4);
  ranmar_before_reading = nullptr;
  rnmget_(&kLight, counters.data());
  EXPECT_EQ(counters[1], 2) << "that of the state";
  // So are they before other numbers of that sequence, and where a caller means the sequence used last.
  calls = 0;
  ranmar_before_reading = [] { ++calls; };
  std::array<double, 2> numbers{};
  const int two = 2, last = 0;
  int other = 1;
  rmmard_(numbers.data(), &two, &sequence);
  EXPECT_EQ(calls, 1);
  rmmard_(numbers.data(), &two, &last);
  EXPECT_EQ(calls, 2);
  rnmvec_(numbers.data(), &two, &sequence);
  EXPECT_EQ(calls, 3);
  rmmaqd({3013, 0, 0}, other, kSeed);
  calls = 0;
  rmmard_(numbers.data(), &two, &other);
  EXPECT_EQ(calls, 0);
  ranmar_before_reading = nullptr;
}

// A plain exit() would write what Fortran's units and C's files hold behind the error.
TEST_F(FortranEntry, AnErrorEndsTheRunAfterWhatCorsikaWrote) {
  std::string folder = testing::TempDir() + "ranmar-stop-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string file = folder + "/file";
  const auto stop = [&] {
    const int length = static_cast<int>(file.size());
    open11_(file.c_str(), &length, file.size());
    writ11_();
    std::fputs("of the shower\n", std::fopen(file.c_str(), "a"));
    const int log = open(file.c_str(), O_WRONLY | O_APPEND);
    dup2(log, STDERR_FILENO);
    double number = 0.;
    const int none = 0;
    rnmone_(&number, &none);
  };
  testing::FLAGS_gtest_death_test_style = "fast";
  EXPECT_EXIT(stop(), testing::ExitedWithCode(1), "^$");
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::filesystem::remove_all(folder);
  EXPECT_EQ(text.str().find("last line of the log\nof the shower\nranmar: error: sequence 0"), 0U)
      << text.str();
}

// How a run ends that cannot go on: one line, status 1, and what was written is on the disk.

using fortran_bindings::end_run;

// Exit handlers draw, too: the summary's does.
TEST(EndRunDeathTest, AnExitHandlerThatEndsTheRunAgainEndsIt) {
  EXPECT_EXIT(
      {
        std::atexit([] { end_run("cherenkov", "it fails again"); });
        end_run("ranmar", "it fails");
      },
      testing::ExitedWithCode(1), "ranmar: error: it fails\ncherenkov: error: it fails again\n$");
}

}  // namespace
