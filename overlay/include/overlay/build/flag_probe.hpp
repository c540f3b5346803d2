// What compiler flags do to floating-point numbers, found by compiling and looking.
#pragma once

#include <set>
#include <string>

namespace overlay {

/// A change that flags make to operations which CORSIKA's source writes one by one.
enum class FlagEffect {
  kSizes,        ///< REAL, DOUBLE PRECISION or INTEGER have other sizes
  kX87,          ///< results keep extra bits in the x87 unit
  kFuse,         ///< a multiplication and an addition are rounded once
  kReorder,      ///< sums are taken in another order
  kReciprocal,   ///< a division becomes a multiplication by a reciprocal
  kApproximate,  ///< square roots or reciprocals are approximations
  kZero,         ///< the sign of zero is dropped
  kTiny,         ///< denormal numbers become zero
  kNan,          ///< NaN is assumed away
  kConstant,     ///< constants are read in single precision
};

/// Compiles small functions of Fortran and C with the flags, as they are and with -O3 behind them, since what
/// flags allow is used where there is optimisation. Looks at the machine code and, where this processor can
/// run it, at results. So a flag counts by what it does here, not by its name. Takes a second or two.
///
/// Throws Error where a compiler does not take the flags.
std::set<FlagEffect> probe_flags(const std::string& fflags, const std::string& cflags);

/// Throws Error that names what the flags do, where the same card would not give the same bytes with a
/// patched program.
void refuse_flags_that_change_bits(const std::string& fflags, const std::string& cflags);

}  // namespace overlay
