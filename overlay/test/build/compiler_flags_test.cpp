#include "overlay/build/compiler_flags.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

using namespace overlay;

namespace {

std::string refusal(const std::string& flags) {
  return error_of([&] { refuse_flags_that_change_bits(flags, flags); });
}

}  // namespace

TEST(FlagProbe, FlagsThatLeaveArithmeticAlone) {
  for (const char* flags : {"-O0", "-O2 -g -pg", "-O3"}) EXPECT_EQ(refusal(flags), "") << flags;
#ifdef __x86_64__
  for (const char* flags :
       {"-O3 -mavx2", "-march=x86-64-v3 -ffp-contract=off", "-O3 -mavx512f -ffp-contract=off"})
    EXPECT_EQ(refusal(flags), "") << flags;
#endif
}

TEST(FlagProbe, FusedOperations) {
#ifndef __x86_64__
  GTEST_SKIP() << "SKIPPED: the flags are those of x86-64";
#endif
  // Some of these processors nobody has here: then the machine code tells.
  for (const char* flags : {"-mfma", "-O2 -mavx512f", "-mavx512vl", "-mfma4", "-march=x86-64-v3"})
    EXPECT_NE(refusal(flags).find("fuse multiplication and addition"), std::string::npos) << flags;
}

TEST(FlagProbe, ReorderedAndApproximateOperations) {
  EXPECT_NE(refusal("-Ofast").find("reorder sums"), std::string::npos);
  EXPECT_NE(refusal("-ffast-math").find("assume that there is no NaN"), std::string::npos);
  EXPECT_NE(refusal("-freciprocal-math").find("replace divisions"), std::string::npos);
  EXPECT_NE(refusal("-fassociative-math").find("reorder sums"), std::string::npos);
  EXPECT_NE(refusal("-O2 -funsafe-math-optimizations").find("reorder sums"), std::string::npos);
}

TEST(FlagProbe, OtherChangesOfNumbers) {
  EXPECT_NE(refusal("-fno-signed-zeros").find("sign of zero"), std::string::npos);
  EXPECT_NE(refusal("-fsingle-precision-constant").find("constants in single precision"), std::string::npos);
  EXPECT_NE(refusal("-fdefault-real-8").find("size of REAL"), std::string::npos);
#ifdef __x86_64__
  EXPECT_EQ(probe_flags("-mfpmath=387", "-mfpmath=387"), std::set{FlagEffect::kX87});
#endif
}

TEST(FlagProbe, FortranAndCAreLookedAtEach) {
  EXPECT_EQ(probe_flags("-O2", "-O2 -freciprocal-math"), std::set{FlagEffect::kReciprocal});
  EXPECT_EQ(probe_flags("-O2 -freciprocal-math", "-O2"), std::set{FlagEffect::kReciprocal});
}

TEST(FlagProbe, FlagsThatNoCompilerTakes) {
  EXPECT_NE(refusal("-fno-such-flag").find("does not take the flags '-fno-such-flag'"), std::string::npos);
}
