// The patterns of all steps, and their names.
#include "corsika_patches/ranmar_steps.h"

#include <array>

#include "corsika_patches/statement_pattern.h"

namespace corsika_patches {
namespace {

struct Pattern {
  Step step;
  const char* text;
};

constexpr std::array patterns = {
    Pattern{Step::leave, "RETURN"},
    Pattern{Step::set_last, "JSEQ=LSEQ"},
    Pattern{Step::set_last, "JSEQ=%w"},
    Pattern{Step::set_conex, "IF(FINCNX)JSEQ=LSEQ"},
    Pattern{Step::set_argument, "IF(%w.GT.0.AND.%=.LE.KSEQ)JSEQ=%="},
    Pattern{Step::set_argument, "IF(%w.GE.1.AND.%=.LE.KSEQ)JSEQ=%="},
    Pattern{Step::set_argument, "IF(%w.LE.KSEQ.AND.%=.GT.0)JSEQ=%="},
    Pattern{Step::set_argument, "IF(%w.LE.KSEQ.AND.%=.GE.1)JSEQ=%="},
    Pattern{Step::loop, "DO%d%,%n=1,%w"},
    Pattern{Step::loop_end, "ENDDO"},
    Pattern{Step::difference, "%n=U(I97(%s),%s)-U(J97(%s),%s)"},
    Pattern{Step::wrap_difference, "IF(%v.LT.%0)%v=%v+%1"},
    Pattern{Step::store, "U(I97(%s),%s)=%v"},
    Pattern{Step::step_i, "I97(%s)=I97(%=)-1"},
    Pattern{Step::step_j, "J97(%s)=J97(%=)-1"},
    Pattern{Step::wrap_i, "IF(I97(%s).EQ.0)I97(%=)=97"},
    Pattern{Step::wrap_i, "IF(I97(%s).LE.0)I97(%=)=97"},
    Pattern{Step::wrap_i, "IF(I97(%s).LT.1)I97(%=)=97"},
    Pattern{Step::wrap_j, "IF(J97(%s).EQ.0)J97(%=)=97"},
    Pattern{Step::wrap_j, "IF(J97(%s).LE.0)J97(%=)=97"},
    Pattern{Step::wrap_j, "IF(J97(%s).LT.1)J97(%=)=97"},
    Pattern{Step::step_c, "C(%s)=C(%=)-CD"},
    Pattern{Step::wrap_c, "IF(C(%s).LT.%0)C(%=)=C(%=)+CM"},
    Pattern{Step::subtract_c, "%v=%v-C(%s)"},
    Pattern{Step::zero, "IF(%v.EQ.%0)%v=TWOM48"},
    Pattern{Step::count, "NTOT(%s)=NTOT(%=)+%w"},
    Pattern{Step::carry_if, "IF(NTOT(%s).GE.MODCNS)THEN"},
    Pattern{Step::carry_high, "NTOT2(%s)=NTOT2(%=)+1"},
    Pattern{Step::carry_low, "NTOT(%s)=NTOT(%=)-MODCNS"},
    Pattern{Step::carry_end, "ENDIF"},
};

}  // namespace

const char* describe(Step step) {
  switch (step) {
    case Step::difference:
      return "the lagged difference U(I97)-U(J97)";
    case Step::wrap_difference:
      return "the wrap of the lagged difference";
    case Step::store:
      return "the store of the difference into U(I97)";
    case Step::step_i:
      return "the step of I97";
    case Step::wrap_i:
      return "the wrap of I97 to 97";
    case Step::step_j:
      return "the step of J97";
    case Step::wrap_j:
      return "the wrap of J97 to 97";
    case Step::step_c:
      return "the step of C by CD";
    case Step::wrap_c:
      return "the wrap of C by CM";
    case Step::subtract_c:
      return "the subtraction of C";
    case Step::wrap_result:
      return "the wrap of the result";
    case Step::zero:
      return "the rule that an exact zero becomes 2^-48";
    case Step::result:
      return "the assignment of the result";
    case Step::count:
      return "the step of NTOT";
    case Step::carry_if:
      return "the carry of NTOT into NTOT2";
    case Step::carry_high:
      return "the step of NTOT2";
    case Step::carry_low:
      return "the subtraction of MODCNS from NTOT";
    case Step::carry_end:
      return "the end of the carry";
    case Step::set_argument:
      return "the choice of the sequence from the argument";
    case Step::loop:
      return "the loop over the vector";
    case Step::loop_end:
      return "the end of the loop";
    default:
      return "a step";
  }
}

std::optional<StepFound> find_step(const std::string& text, const std::string& value) {
  StepFound found{};
  for (const auto& pattern : patterns) {
    if (!matches(text, pattern.text, value, found.taken)) continue;
    found.step = pattern.step;
    return found;
  }
  return std::nullopt;
}

}  // namespace corsika_patches
