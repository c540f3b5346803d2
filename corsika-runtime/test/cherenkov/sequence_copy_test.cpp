// How many numbers CORSIKA has drawn for light. Reading copies of the sequence is tested with the stage.
#include "corsika_runtime/cherenkov/sequence_copy.hpp"

#include <gtest/gtest.h>

namespace cherenkov::corsika {
namespace {

TEST(DrawnForLight, IsOfTheCherenkovSequenceWithItsBillions) {
  Routines routines{};
  routines.sequence_counters = [](const int* sequence, int* iseed) {
    iseed[0] = 71;
    iseed[1] = *sequence;
    iseed[2] = 2;
  };
  EXPECT_EQ(drawn_for_light(routines), 2000000003U);
}

}  // namespace
}  // namespace cherenkov::corsika
