// How a run ends that cannot go on: one line, status 1, and what was written is on the disk.
#include "end_run.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using fortran_bindings::end_run;

TEST(EndRunDeathTest, SaysWhichPartAndWhyAndEndsWithStatus1) {
  for (const char* part : {"ranmar", "cherenkov"})
    EXPECT_EXIT(end_run(part, "it fails"), testing::ExitedWithCode(1),
                "^" + std::string(part) + ": error: it fails\n$");
}

TEST(EndRunDeathTest, WhatCWroteStandsBeforeTheError) {
  EXPECT_EXIT(
      {
        std::setvbuf(stdout, nullptr, _IOFBF, 4096);
        dup2(2, 1);
        std::printf("of the shower\n");
        end_run("ranmar", "it fails");
      },
      testing::ExitedWithCode(1), "of the shower\nranmar: error: it fails\n$");
}

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
