// Reads a RANMAR routine: each statement is a step of the shape, and the steps stand in an order that
// computes the same.
#include <fmt/format.h>

#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "corsika-patches/program_units.h"
#include "corsika-patches/recognise.h"
#include "corsika-patches/statement_text.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

/// The steps, each once in a routine, a result apart: name, the routines that have it (f a function, v a
/// vector, r RMMARD; as capitals those that must), and how it is written. Statements of an IF block stand
/// with ; between them, a label with : before its statement. Each placeholder, one letter behind %, stands
/// for one text in all of a routine: v the variable in which the number is computed (UNI), s the sequence
/// (JSEQ or a number), a, n and q the arguments (array, length, sequence), i the loop's index, f a function's
/// name, l the loop's label, L that to draw again, d a number. %0 is 0 or 0., %1 is 1 or 1.
constexpr const char* kSteps[] = {
    "set_last fv JSEQ=LSEQ JSEQ=%d",
    "set_conex fv IF(FINCNX)JSEQ=LSEQ",
    "set_argument R IF(%q.GT.0.AND.%q.LE.KSEQ)JSEQ=%q IF(%q.GE.1.AND.%q.LE.KSEQ)JSEQ=%q "
    "IF(%q.LE.KSEQ.AND.%q.GT.0)JSEQ=%q IF(%q.LE.KSEQ.AND.%q.GE.1)JSEQ=%q",
    "label f %L:CONTINUE",
    "loop VR DO%l,%i=1,%n DO%l%i=1,%n DO%i=1,%n",
    "loop_end VR ENDDO %l:CONTINUE",
    "difference FVR %v=U(I97(%s),%s)-U(J97(%s),%s)",
    "wrap_difference FVR IF(%v.LT.%0)%v=%v+%1",
    "store FVR U(I97(%s),%s)=%v",
    "step_i FVR I97(%s)=I97(%s)-1",
    "wrap_i FVR IF(I97(%s).EQ.0)I97(%s)=97 IF(I97(%s).LE.0)I97(%s)=97 IF(I97(%s).LT.1)I97(%s)=97",
    "step_j FVR J97(%s)=J97(%s)-1",
    "wrap_j FVR IF(J97(%s).EQ.0)J97(%s)=97 IF(J97(%s).LE.0)J97(%s)=97 IF(J97(%s).LT.1)J97(%s)=97",
    "step_c FVR C(%s)=C(%s)-CD",
    "wrap_c FVR IF(C(%s).LT.%0)C(%s)=C(%s)+CM",
    "subtract_c FVR %v=%v-C(%s)",
    "wrap_result FVR",  // the second of wrap_difference
    "zero fvR IF(%v.EQ.%0)%v=TWOM48",
    "result F %f=%v %f=DBLE(%v) %f=SNGL(%v) %f=REAL(%v)",
    "result VR %a(%i)=%v %a(%i)=DBLE(%v)",
    "count FVR NTOT(%s)=NTOT(%s)+%n",
    "carry FVR IF(NTOT(%s).GE.MODCNS)THEN;NTOT2(%s)=NTOT2(%s)+1;NTOT(%s)=NTOT(%s)-MODCNS;ENDIF "
    "IF(NTOT(%s).GE.MODCNS)THEN;NTOT(%s)=NTOT(%s)-MODCNS;NTOT2(%s)=NTOT2(%s)+1;ENDIF",
    "reject_0 f IF(%f.EQ.%0)GOTO%L",
    "reject_1 f IF(%f.EQ.%1)GOTO%L",
    "reject f IF(%f.EQ.%0.OR.%f.EQ.%1)GOTO%L IF(%f.EQ.%0)THEN;GOTO%L;ELSEIF(%f.EQ.%1)THEN;GOTO%L;ENDIF",
    "leave fvr RETURN",
};

/// Steps that stand one behind the other, as far as they are there.
constexpr const char* kOrders[] = {
    "set_last set_conex loop difference wrap_difference store step_i wrap_i loop_end count carry reject",
    "set_argument loop difference step_j wrap_j loop_end",
    "loop step_c wrap_c subtract_c",
    "store subtract_c wrap_result zero result loop_end",
    "label difference",
    "carry reject_0",
    "carry reject_1",
    "result reject",
    "result reject_0",
    "result reject_1",
};

using Words = std::vector<std::string>;
Words words_of(const char* text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

const std::set<std::string> kState = {"U",  "C",  "I97",  "J97",  "NTOT",   "NTOT2",  "IJKL",  "JSEQ",
                                      "CD", "CM", "CINT", "KSEQ", "MODCNS", "TWOM24", "TWOM48"};

using Bound = std::map<char, std::string>;

/// Whether a text is of a form; its placeholders are bound then.
bool is_of_form(std::string_view text, std::string_view form, Bound& bound) {
  Bound tried = bound;
  while (!form.empty()) {
    if (!take_literal(form, "%")) {
      if (!take_literal(text, form.substr(0, 1))) return false;
      form.remove_prefix(1);
      continue;
    }
    const char kind = form.front();
    form.remove_prefix(1);
    if (digit(kind)) {
      if (!take_literal(text, std::string_view(&kind, 1))) return false;
      take_literal(text, ".");
    } else if (const auto known = tried.find(kind); known != tried.end()) {
      if (!take_literal(text, known->second)) return false;
    } else {
      const bool number =
          kind == 'd' || kind == 'l' || kind == 'L' || (kind == 's' && !text.starts_with("JSEQ"));
      std::size_t size = 0;
      while (size < text.size() && (number ? digit(text[size]) : word(text[size]))) ++size;
      const auto taken = text.substr(0, size);
      if (number ? taken.empty() : !is_name(taken)) return false;
      if (kind == 's' && !number && taken != "JSEQ") return false;
      tried[kind] = taken;
      text.remove_prefix(size);
    }
  }
  if (text.empty()) bound = std::move(tried);
  return text.empty();
}

class Reader {
 public:
  Reader(const FixedFormSource& source, const ProgramUnit& unit, const std::string& kind,
         const std::string& file)
      : source_(source),
        unit_(unit),
        file_(file),
        kind_(kind.front()),
        arguments_(unit.heads.front().arguments) {
    traits_.kind = kind;
  }

  RanmarTraits read() {
    check_heads();
    const int end = unit_.entries.empty() ? unit_.end_statement : unit_.entries.front().statement;
    for (int at = read_specification(); at < end;) at = read_step(at);
    read_entries(end);
    check_steps();
    find_sequence();
    if (kind_ == 'f') find_types();
    return traits_;
  }

 private:
  const Statement& statement(int index) const { return source_.statement(index); }
  bool has(const char* step) const { return places_.contains(step); }

  [[noreturn]] void refuse(const std::string& why, int at = -1) const {
    const int line = at < 0 ? unit_.begin_line : statement(at).first;
    throw support::Error(
        fmt::format("{}:{}: {} is not in the shape of RANMAR that the rules know: {}{}; restore its stock "
                    "form, or add a rule",
                    file_, line + 1, unit_.name(), why,
                    at < 0 ? "" : fmt::format(" [{}]", trim(source_.text().line(line)))));
  }

  void check_heads() {
    if (kind_ != 'f' && arguments_.size() != (kind_ == 'v' ? 2 : 3))
      refuse("it has another number of arguments");
    for (const auto& head : unit_.heads) {
      if (unit_.split_head) refuse("a directive cuts through it", head.statement);
      if (head.kind != (kind_ == 'f' ? "FUNCTION" : "SUBROUTINE"))
        refuse("it is a " + head.kind, head.statement);
      if (head.type != unit_.heads.front().type || head.arguments != arguments_)
        refuse("its heads differ in more than the name", head.statement);
    }
    bound_['n'] = "1";
    if (kind_ != 'f') bound_['a'] = arguments_[0], bound_['n'] = arguments_[1];
    if (kind_ == 'r') bound_['q'] = arguments_[2];
  }

  /// Gives the index of the statement behind it. The state must be the header's.
  int read_specification() {
    int end = unit_.heads.back().statement + 1;
    const int begin = end;
    bool own_state = false;
    for (; end < unit_.end_statement && is_specification(statement(end).text); ++end)
      own_state = own_state || statement(end).text.starts_with("COMMON/CRRANMA");
    for (int at = begin; at < end; ++at) {
      const auto& text = statement(at).text;
      types_.add(text);
      Declarations one;
      one.add(text);
      for (const auto& name : identifiers(text.starts_with("DATA") ? text.substr(4) : ""))
        if (kState.contains(name)) refuse("it gives " + name + " a start value", at);
      for (const auto& name : kState)
        if (const auto* entry = one.find(name);
            entry != nullptr && (!own_state || entry->aliased || (entry->constant && name != "KSEQ")))
          refuse("it declares " + name + " anew", at);
    }
    return end;
  }

  /// The words of the step that a text is, in one of the names of a function; `name` becomes that. Empty
  /// where it is none.
  Words find_step(const std::string& text, std::string& name) {
    for (const auto& head : unit_.heads)
      for (const char* step : kSteps) {
        auto words = words_of(step);
        if (upper(words[1]).find(upper({&kind_, 1})) == std::string::npos) continue;
        for (std::size_t form = 2; form < words.size(); ++form) {
          bound_['f'] = name = head.name;
          if (is_of_form(text, words[form], bound_)) return words;
        }
      }
    return {};
  }

  /// Gives the index of the statement behind the step.
  int read_step(const int at) {
    std::string text;
    int end = at;
    do {
      const auto& each = statement(end);
      if (each.split) refuse("a directive cuts through it", end);
      if (each.branch != statement(at).branch) refuse("it stands under a conditional of its own", end);
      text += (text.empty() ? "" : ";") + (each.label.empty() ? "" : each.label + ":") + each.text;
    } while (text.starts_with("IF(") && text.find(")THEN") != std::string::npos &&
             statement(end).text != "ENDIF" && ++end < unit_.end_statement);
    if (text == "CONTINUE") return at + 1;
    std::string function;
    const auto step = find_step(text, function);
    if (step.empty()) refuse("this statement has no place in it", at);
    auto name = step[0];
    if (name == "wrap_difference" && has("wrap_difference")) name = "wrap_result";
    if (has("leave") && name != "leave") refuse("it stands behind a RETURN", at);
    const auto around = source_.conditions(unit_.frame, statement(at).branch);
    if (name == "result") {
      results_.emplace_back(around, function);
      rounded_ =
          rounded_ || text.find("=SNGL(") != std::string::npos || text.find("=REAL(") != std::string::npos;
    } else if (name == "set_conex") {
      static const std::set<std::string> conex = {"if __CONEX__", "ifdef __CONEX__", "if defined(__CONEX__)"};
      if (around.size() > 1 || (!around.empty() && !conex.contains(around[0])))
        refuse("it stands under another conditional than CONEX", at);
    } else if (!around.empty()) {
      refuse("it stands under a conditional of its own", at);
    }
    if (name == "set_last") traits_.sequence = bound_.contains('d') ? bound_['d'] : "lseq";
    if (!places_.emplace(name, at).second && name != "result" && name != "leave")
      refuse("it is there twice", at);
    return end + 1;
  }

  /// ENTRY name(); name = 0; RETURN, each.
  void read_entries(int at) {
    if (!unit_.entries.empty() && (kind_ != 'f' || statement(at - 1).text != "RETURN"))
      refuse("the code before it runs on into it", at);
    for (const auto& entry : unit_.entries) {
      const std::vector<std::string> zeros = {entry.name + "=0.", entry.name + "=0"};
      if (entry.statement != at || !entry.arguments.empty() || statement(at).branch != unit_.frame ||
          (statement(at + 1).text != zeros[0] && statement(at + 1).text != zeros[1]) ||
          (at + 2 != unit_.end_statement && statement(at + 2).text != "RETURN"))
        refuse("its ENTRY point does something else than returning 0", at);
      traits_.entries.push_back(entry.name);
      at = std::min(at + 3, unit_.end_statement);
    }
    if (at != unit_.end_statement) refuse("it stands behind an ENTRY point", at);
  }

  void check_steps() const {
    for (const char* step : kSteps)
      if (const auto words = words_of(step);
          words[1].find(upper({&kind_, 1})) != std::string::npos && !places_.contains(words[0]))
        refuse("its step " + words[0] + " is missing" + (words.size() > 2 ? ", as " + words[2] : ""));
    for (const char* order : kOrders) {
      std::string before;
      for (const auto& step : words_of(order)) {
        if (!places_.contains(step)) continue;
        if (!before.empty() && places_.at(before) > places_.at(step))
          refuse("its step " + step + " stands before " + before, places_.at(step));
        before = step;
      }
    }
    if (kind_ != 'f' && (results_.size() != 1 || !results_[0].first.empty()))
      refuse("its result is assigned more than once, or not always");
  }

  void find_sequence() {
    const auto& value = bound_.at('v');
    const auto* entry = types_.find(value);
    if (entry != nullptr && !entry->type.empty() ? types_.type_of(value) != "DOUBLE PRECISION"
                                                 : value != "UNI")
      refuse("its working variable " + value + " is not known to be DOUBLE PRECISION");
    const bool chosen = has("set_last") || has("set_conex");
    traits_.last = bound_.at('s') == "JSEQ";
    if (kind_ == 'r' ? !traits_.last : traits_.last ? !has("set_last") : chosen)
      refuse("it does not draw from the sequence that it chooses");
    if (kind_ == 'r') traits_.sequence = "argument";
    if (!traits_.last) traits_.sequence = bound_.at('s');
    traits_.conex = has("set_conex");
    traits_.zero = has("zero");
    traits_.reject = has("reject") || (has("reject_0") && has("reject_1"));
    if (!traits_.reject && (has("reject_0") || has("reject_1")))
      refuse("it does not draw again for both 0 and 1");
    if (traits_.reject && !has("label")) refuse("the label to draw again is out of place");
  }

  void find_types() {
    std::vector<std::pair<std::vector<std::string>, std::string>> heads;
    for (const auto& head : unit_.heads)
      heads.emplace_back(source_.conditions(unit_.frame, statement(head.statement).branch), head.name);
    if (heads != results_) refuse("its result is not assigned under the conditionals of its head");
    const auto& head = unit_.heads.front();
    traits_.result = head.type.empty() ? types_.type_of(head.name) : Declarations::plain(head.type);
    if (traits_.result != "REAL" && traits_.result != "DOUBLE PRECISION")
      refuse("the type of its result cannot be told");
    if (rounded_ && traits_.result != "REAL") refuse("it rounds a DOUBLE PRECISION result to REAL");
    for (const auto& entry : traits_.entries)
      if (types_.type_of(entry) != traits_.result)
        refuse("its ENTRY point " + entry + " is not of its own type");
    if (traits_.entries.size() > 2) refuse("it has more than two ENTRY points");
    for (const auto& argument : arguments_) {
      const auto type = types_.type_of(argument);
      if (type.empty() || type != types_.type_of(arguments_.front()))
        refuse("the type of its argument " + argument + " cannot be told");
      traits_.dummy += (traits_.dummy.empty() ? type + " " : ",") + argument;
    }
  }

  const FixedFormSource& source_;
  const ProgramUnit& unit_;
  const std::string file_;
  const char kind_;  // f, v, r
  const std::vector<std::string> arguments_;
  Declarations types_;
  Bound bound_;
  std::map<std::string, int> places_;                                      // first statement of each step
  std::vector<std::pair<std::vector<std::string>, std::string>> results_;  // conditions and target
  bool rounded_ = false;
  RanmarTraits traits_;
};

}  // namespace

RanmarTraits recognise_ranmar(const FixedFormSource& source, const ProgramUnit& unit, const std::string& kind,
                              const std::string& file) {
  return Reader(source, unit, kind, file).read();
}

}  // namespace corsika_patches
