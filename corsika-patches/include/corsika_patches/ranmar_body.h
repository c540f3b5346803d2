// The statements of one routine of the RANMAR shape, each with its place. What follows from their order:
// ranmar_shape.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "corsika_patches/fixed_form.h"
#include "corsika_patches/program_units.h"
#include "corsika_patches/ranmar_shape.h"
#include "corsika_patches/ranmar_steps.h"
#include "corsika_patches/routine_types.h"

namespace corsika_patches {

/// A routine in its source, for reading and for refusals that name it.
class RoutineText {
 public:
  RoutineText(const FixedFormSource& source, const ProgramUnit& unit, const std::string& file)
      : source_(source), unit_(unit), file_(file) {}

  const ProgramUnit& unit() const { return unit_; }
  const Statement& statement(int index) const {
    return source_.statements()[static_cast<std::size_t>(index)];
  }
  /// Conditions around a statement within the routine, as text.
  std::vector<std::string> conditions(const Statement& statement) const {
    return source_.conditions(unit_.frame, statement.branch);
  }
  /// Throw Error: file, line, routine, why, and for a statement its text.
  [[noreturn]] void refuse(const Statement& statement, const std::string& why) const;
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  const FixedFormSource& source_;
  const ProgramUnit& unit_;
  const std::string file_;
};

/// What was read off the statements.
struct RanmarBody {
  std::string kind;  ///< function, vector, rmmard
  /// The sequence that becomes the one used last (JSEQ): a number or lseq; empty if the routine sets none.
  std::string sequence;
  bool reject = false;   ///< draws again for 0 and 1
  bool rounded = false;  ///< the result is rounded to REAL
  RoutineTypes types;
  std::map<Step, int> places;  ///< first statement of each step
  /// Conditions and target of each assignment of the result; a vector's target is empty.
  std::vector<std::pair<std::vector<std::string>, std::string>> results;
  std::vector<std::string> entries;  ///< ENTRY points that return 0
  std::string value;                 ///< the variable in which the routine computes the number (UNI)
  std::string subscript;             ///< of the state: JSEQ or a number
  std::optional<int> label_place;    ///< of the label to draw again
};

/// Gives every statement of a routine its place in the shape. Throws Error where one has none.
RanmarBody read_ranmar_body(const RoutineText& text, const std::string& kind);

}  // namespace corsika_patches
