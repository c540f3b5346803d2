// How many numbers CORSIKA has drawn for light. Reading copies of the sequence is tested with the stage.
#include <gtest/gtest.h>

#include "corsika_runtime/cherenkov/light_numbers.hpp"

namespace cherenkov::corsika {
namespace {

TEST(DrawnForLight, IsOfTheCherenkovSequenceWithItsBillions) {
  Routines routines{};
  routines.sequence_counters = [](const int* sequence, int* iseed) {
    iseed[0] = 71;
    iseed[1] = *sequence;
    iseed[2] = 2;
  };
  EXPECT_EQ(CorsikaNumbers(routines).position(), 2000000003U);
}

}  // namespace
}  // namespace cherenkov::corsika
