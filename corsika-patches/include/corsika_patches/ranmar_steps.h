// The steps of a RANMAR routine, and which of them a statement is. Knows single statements only, not their
// order.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace corsika_patches {

/// The steps of the shape (ranmar_shape.h). Each occurs once unless said otherwise.
enum class Step {
  set_last,      // JSEQ = number, or lseq
  set_conex,     // IF (FINCNX) JSEQ = lseq
  set_argument,  // IF (s > 0 and s <= KSEQ) JSEQ = s
  loop,          // DO i = 1, length
  loop_end,
  difference,  // v = U(I97) - U(J97)
  wrap_difference,
  store,
  step_i,
  wrap_i,
  step_j,
  wrap_j,
  step_c,
  wrap_c,
  subtract_c,
  wrap_result,
  zero,
  result,
  count,
  carry_if,
  carry_high,
  carry_low,
  carry_end,
  reject,
  leave  // RETURN
};

/// What a step is, for messages.
const char* describe(Step step);

/// One statement that has a place in the shape.
struct StepFound {
  Step step;
  std::vector<std::string> taken;  ///< what stands at the pattern's placeholders
};

/// The step that a canonical (statement_text.h) statement is; `value` is the variable in which the routine
/// computes the number (UNI). wrap_difference stands for wrap_result too, which is the same statement further
/// on. nullopt for anything else.
std::optional<StepFound> find_step(const std::string& text, const std::string& value);

}  // namespace corsika_patches
