// The steps of a RANMAR routine, and which of them a statement is. Knows single statements only, not their
// order.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace corsika_patches {

/// The steps of the shape (ranmar_shape.h). Each occurs once unless said otherwise.
enum class Step {
  set_last,         // JSEQ = number, or lseq
  set_conex,        // IF (FINCNX) JSEQ = lseq
  set_argument,     // IF (s > 0 and s <= KSEQ) JSEQ = s
  loop,             // DO i = 1, length
  loop_end,         // ENDDO
  difference,       // v = U(I97) - U(J97)
  wrap_difference,  // IF (v < 0) v = v + 1
  store,            // U(I97) = v
  step_i,           // I97 = I97 - 1
  wrap_i,           // IF (I97 == 0) I97 = 97
  step_j,           // J97 = J97 - 1
  wrap_j,           // IF (J97 == 0) J97 = 97
  step_c,           // C = C - CD
  wrap_c,           // IF (C < 0) C = C + CM
  subtract_c,       // v = v - C
  wrap_result,      // IF (v < 0) v = v + 1
  zero,             // IF (v == 0) v = 2^-48
  result,           // the assignment of the result; any number of times
  count,            // NTOT = NTOT + numbers drawn
  carry_if,         // IF (NTOT >= 10^9) THEN
  carry_high,       // NTOT2 = NTOT2 + 1
  carry_low,        // NTOT = NTOT - 10^9
  carry_end,        // ENDIF
  reject,           // back to the label if the result is 0 or 1
  leave             // RETURN; any number of times
};

/// Whether all of `text` is of the form `pattern`, in which
///
///     %s  is a sequence: JSEQ, or a whole number    %w  is letters, digits and underscores, at least one
///     %n  is a name                                 %d  is digits, perhaps none
///     %=  is the first element of `taken`           %v  is `value`, which must not be empty
///     %0  is 0 or 0.                                %1  is 1 or 1.
///     %,  is a comma or nothing
///
/// and everything else is itself. What %s, %w, %n and %d took goes to `taken`, in order.
bool matches(std::string_view text, std::string_view pattern, std::string_view value,
             std::vector<std::string>& taken);

/// The same where nothing that was taken matters.
bool matches(std::string_view text, std::string_view pattern);

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
