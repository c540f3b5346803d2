// What compiler flags do to floating-point numbers, found by compiling and looking.
#pragma once

#include <set>
#include <string>

namespace overlay {

/// Ways in which flags change the bits of CORSIKA's arithmetic.
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

/// Compiles small functions of Fortran and C twice, with the flags and with the flags and -O3: compilers use
/// what flags allow only when they optimise. Looks at the machine code and, if this processor can run it, at
/// results. So a flag is judged by what it does here, not by its name. Takes a second or two.
///
/// Throws Error where a compiler does not take the flags.
std::set<FlagEffect> probe_flags(const std::string& fflags, const std::string& cflags);

/// Throws Error that names what the flags do, where the same card would not give the same bytes with a
/// patched program.
void refuse_flags_that_change_bits(const std::string& fflags, const std::string& cflags);

}  // namespace overlay
