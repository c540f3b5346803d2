// How routines are recognised: by their statements (those of the shape of RANMAR), or by digests, as are IF
// blocks in them. Works on texts alone.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "corsika-patches/fixed_form.h"
#include "corsika-patches/program_units.h"

namespace corsika_patches {

/// SHA-256 of all statements of a routine in their order, declarations too, each behind the preprocessor's
/// conditions in the routine around it. It does not change with blanks, case, comments, the way that lines
/// are continued, #define and #include; with anything else it does.
std::string body_digest(const FixedFormSource& source, const ProgramUnit& unit);

/// Lines of a file, counted from 0.
struct LineRange {
  int first, last;
};

/// The innermost IF block around the first statement of `unit` that begins with `begin` (canonical, see
/// statement_text.h) and is active with the macros `on`. Empty if there is none, if IF and END IF stand in
/// different preprocessor branches, or if one has a label.
std::optional<LineRange> if_block_around(const FixedFormSource& source, const ProgramUnit& unit,
                                         std::string_view begin, const std::set<std::string>& on);

/// Digest (SHA-256, hex) of what a routine does in a block and with some variables: each statement of the
/// block, and each other one, declarations apart, that names one of `names`, behind the IFs around it. Of the
/// build with the macros `on`.
std::string block_digest(const FixedFormSource& source, const ProgramUnit& unit, LineRange block,
                         const std::vector<std::string>& names, const std::set<std::string>& on);

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
/// Every statement must have its place in the shape; the unit must be regular. Throws Error with file, line
/// and statement where one has not.
RanmarTraits recognise_ranmar(const FixedFormSource& source, const ProgramUnit& unit, const std::string& kind,
                              const std::string& file);

}  // namespace corsika_patches
