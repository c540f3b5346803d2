// Recognises a RANMAR routine and reads off what it does.
#pragma once
#include <string>
#include <vector>

#include "corsika_patches/fixed_form.h"
#include "corsika_patches/program_units.h"

namespace corsika_patches {

/// What a routine does with the generator, read off its body.
struct RanmarTraits {
  std::string kind;      ///< function, vector, rmmard
  std::string result;    ///< REAL or DOUBLE PRECISION (function)
  std::string sequence;  ///< a number, lseq, or "argument"
  bool conex = false;    ///< lseq is used instead while CONEX is active
  bool last = false;     ///< the sequence becomes the one used last
  bool reject = false;   ///< a result of 0 or 1 is drawn again
  bool zero = false;     ///< 0 becomes 2^-48
  std::string dummy;     ///< declaration of the dummy arguments of a function; empty where it has none
  std::vector<std::string> entries;  ///< ENTRY points that return 0
};

/// Reads a RANMAR routine's traits off its body.
///
/// The shape (Marsaglia, Zaman, Tsang 1990; James 1990): difference of two lagged numbers, wrapped to [0,1)
/// and stored; both indices stepped down and wrapped to 97; arithmetic sequence stepped and wrapped; their
/// difference wrapped to [0,1); optional smallest number for an exact zero; the result; the counters.
/// Statements may stand in any order that computes the same.
///
/// Every statement must have its place in the shape. Throws Error with file, line and statement where one has
/// not.
RanmarTraits recognise_ranmar(const FixedFormSource& source, const ProgramUnit& unit, const std::string& kind,
                              const std::string& file);

}  // namespace corsika_patches
