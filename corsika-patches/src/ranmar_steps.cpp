// The patterns of all steps, and their names.
#include "corsika_patches/ranmar_steps.h"

#include <array>

#include "corsika_patches/characters.h"

namespace corsika_patches {
namespace {

bool capital(char c) { return c >= 'A' && c <= 'Z'; }

/// The characters at the beginning that `belongs` takes; they are passed.
template <typename Belongs>
std::string_view take(std::string_view& text, Belongs&& belongs) {
  std::size_t size = 0;
  while (size < text.size() && belongs(text[size])) ++size;
  const auto out = text.substr(0, size);
  text.remove_prefix(size);
  return out;
}

/// One placeholder; false where the text does not go on like that.
bool take_placeholder(std::string_view& text, char kind, std::string_view value,
                      std::vector<std::string>& taken) {
  std::string_view got;
  switch (kind) {
    case 's':
      got = take_literal(text, "JSEQ") ? std::string_view("JSEQ") : take(text, digit);
      break;
    case 'w':
      got = take(text, word);
      break;
    case 'n':
      if (!text.empty() && capital(text.front())) got = take(text, word);
      break;
    case 'd':
      taken.emplace_back(take(text, digit));
      return true;
    case '=':
      return !taken.empty() && take_literal(text, taken.front());
    case 'v':
      return !value.empty() && take_literal(text, value);
    case '0':
    case '1':
      if (!take_literal(text, std::string_view(&kind, 1))) return false;
      take_literal(text, ".");
      return true;
    case ',':
      take_literal(text, ",");
      return true;
    default:
      return false;
  }
  taken.emplace_back(got);
  return !got.empty();
}

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

/// Names, for messages.
constexpr std::array names = {
    Pattern{Step::difference, "the lagged difference U(I97)-U(J97)"},
    Pattern{Step::wrap_difference, "the wrap of the lagged difference"},
    Pattern{Step::store, "the store of the difference into U(I97)"},
    Pattern{Step::step_i, "the step of I97"},
    Pattern{Step::wrap_i, "the wrap of I97 to 97"},
    Pattern{Step::step_j, "the step of J97"},
    Pattern{Step::wrap_j, "the wrap of J97 to 97"},
    Pattern{Step::step_c, "the step of C by CD"},
    Pattern{Step::wrap_c, "the wrap of C by CM"},
    Pattern{Step::subtract_c, "the subtraction of C"},
    Pattern{Step::wrap_result, "the wrap of the result"},
    Pattern{Step::zero, "the rule that an exact zero becomes 2^-48"},
    Pattern{Step::result, "the assignment of the result"},
    Pattern{Step::count, "the step of NTOT"},
    Pattern{Step::carry_if, "the carry of NTOT into NTOT2"},
    Pattern{Step::carry_high, "the step of NTOT2"},
    Pattern{Step::carry_low, "the subtraction of MODCNS from NTOT"},
    Pattern{Step::carry_end, "the end of the carry"},
    Pattern{Step::set_argument, "the choice of the sequence from the argument"},
    Pattern{Step::loop, "the loop over the vector"},
    Pattern{Step::loop_end, "the end of the loop"},
};

}  // namespace

bool matches(std::string_view text, std::string_view pattern, std::string_view value,
             std::vector<std::string>& taken) {
  taken.clear();
  while (!pattern.empty()) {
    if (pattern.front() == '%' && pattern.size() > 1) {
      if (!take_placeholder(text, pattern[1], value, taken)) return false;
      pattern.remove_prefix(2);
    } else {
      if (!take_literal(text, pattern.substr(0, 1))) return false;
      pattern.remove_prefix(1);
    }
  }
  return text.empty();
}

bool matches(std::string_view text, std::string_view pattern) {
  std::vector<std::string> taken;
  return matches(text, pattern, {}, taken);
}

const char* describe(Step step) {
  for (const auto& name : names)
    if (name.step == step) return name.text;
  return "a step";
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
