// The bits of libm: the same from call to call, and others under other variants.
#include "overlay/production/libm_bits.hpp"

#include <gtest/gtest.h>

namespace overlay {
namespace {

TEST(LibmBits, AreTheSameEachTime) {
  const std::string bits = libm_bits();
  EXPECT_EQ(bits.size(), 64U);
  EXPECT_EQ(bits, libm_bits());
}

// That other variants give another checksum is tested in command/production_run_test.sh, as the variants are
// chosen when a program starts.

}  // namespace
}  // namespace overlay
