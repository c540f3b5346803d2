// Walks over a routine's statements: heads, declarations, steps, results, the IFs that draw again, ENTRY
// points.
#include "corsika_patches/ranmar_body.h"

#include <fmt/format.h>

#include <set>

#include "corsika_patches/array_declarations.h"
#include "corsika_patches/statement_text.h"
#include "support/error.hpp"

namespace corsika_patches {

void RoutineText::refuse(const Statement& statement, const std::string& why) const {
  throw support::Error(
      fmt::format("{}:{}: {} is not in the shape of RANMAR that the rules know: {} [{}]; restore its stock "
                  "form, or add a rule",
                  file_, statement.first + 1, unit_.name(), why, trim(source_.text().line(statement.first))));
}

void RoutineText::refuse(const std::string& why) const {
  throw support::Error(
      fmt::format("{}:{}: {} is not in the shape of RANMAR that the rules know: {}; restore its stock form, "
                  "or add a rule",
                  file_, unit_.begin_line + 1, unit_.name(), why));
}

namespace {

constexpr const char* no_place = "this statement has no place in it";

/// What stands between the parentheses of IF(...)TAIL, and the tail; nullopt for anything else.
std::optional<std::pair<std::string, std::string>> split_if(const std::string& text,
                                                            const std::string& begin) {
  if (!text.starts_with(begin)) return std::nullopt;
  const auto close = closing_parenthesis(text, begin.size() - 1);
  if (close == std::string::npos) return std::nullopt;
  return std::pair(text.substr(begin.size(), close - begin.size()), text.substr(close + 1));
}

class BodyReader {
 public:
  BodyReader(const RoutineText& text, std::string kind)
      : text_(text), unit_(text.unit()), arguments_(unit_.heads.front().arguments) {
    body_.kind = std::move(kind);
  }

  RanmarBody read() {
    check_heads();
    int at = read_specification(unit_.heads.back().statement + 1);
    for (; at < unit_.end_statement; ++at) {
      const auto& statement = text_.statement(at);
      if (statement.split) text_.refuse(statement, "a directive cuts through it");
      if (statement.text.starts_with("ENTRY")) {
        at = read_entry(at);
      } else {
        if (!body_.entries.empty()) text_.refuse(statement, "it stands behind an ENTRY point");
        at = read_statement(at);
      }
    }
    return std::move(body_);
  }

 private:
  void check_heads() const {
    const bool function = body_.kind == "function";
    for (const auto& head : unit_.heads) {
      if (unit_.split_head) text_.refuse(text_.statement(head.statement), "a directive cuts through it");
      if (head.kind != (function ? "FUNCTION" : "SUBROUTINE"))
        text_.refuse(text_.statement(head.statement), "it is a " + head.kind);
      if (head.type != unit_.heads.front().type || head.arguments != arguments_)
        text_.refuse(text_.statement(head.statement), "its heads differ in more than the name");
    }
    if (body_.kind == "vector" && arguments_.size() != 2) text_.refuse("it has not two arguments");
    if (body_.kind == "rmmard" && arguments_.size() != 3) text_.refuse("it has not three arguments");
  }

  int read_specification(int at) {
    static const std::set<std::string> state = {"U",     "C",    "I97",    "J97",    "NTOT",
                                                "NTOT2", "IJKL", "JSEQ",   "CD",     "CM",
                                                "CINT",  "KSEQ", "MODCNS", "TWOM24", "TWOM48"};
    bool own_state = false;
    for (int i = at; i < unit_.end_statement && is_specification(text_.statement(i).text); ++i)
      if (text_.statement(i).text.starts_with("COMMON/CRRANMA")) own_state = true;
    for (; at < unit_.end_statement; ++at) {
      const auto& statement = text_.statement(at);
      const auto& text = statement.text;
      if (!is_specification(text)) break;
      body_.types.add(text);
      if (text.starts_with("IMPLICIT")) continue;
      if (text.starts_with("DATA"))
        for (const auto& name : identifiers(std::string_view(text).substr(4)))
          if (state.contains(name)) text_.refuse(statement, "it gives " + name + " a start value");
      ArrayDeclarations declared;
      declared.add(text);
      for (const auto& name : state) {
        const auto* entry = declared.find(name);
        if (entry == nullptr || (own_state && !entry->aliased && (!entry->constant || name == "KSEQ")))
          continue;
        text_.refuse(statement, "it declares " + name + " anew");
      }
    }
    return at;
  }

  void note(Step step, int at) {
    const auto& statement = text_.statement(at);
    if (step != Step::result && step != Step::leave && body_.places.contains(step))
      text_.refuse(statement, "it is there twice");
    if (step != Step::result && step != Step::set_conex && statement.branch != unit_.frame)
      text_.refuse(statement, "it stands under a conditional of its own");
    body_.places.emplace(step, at);
    if (!statement.label.empty() && step != Step::difference && step != Step::leave &&
        !(step == Step::loop_end && statement.label == loop_label_))
      text_.refuse(statement, "it has a label");
    if (step == Step::difference && !statement.label.empty()) label(at);
  }

  void label(int at) {
    const auto& statement = text_.statement(at);
    if (body_.label_place) text_.refuse(statement, "it is a second label");
    label_ = statement.label;
    body_.label_place = at;
  }

  /// Notes a step on the state; all of them must be on one sequence.
  void place(Step step, int at, const std::string& subscript) {
    if (body_.subscript.empty()) body_.subscript = subscript;
    if (body_.subscript != subscript) text_.refuse(text_.statement(at), "it uses another sequence");
    note(step, at);
  }

  /// Gives the index of the last statement that was read.
  int read_statement(int at) {
    const auto& statement = text_.statement(at);
    const auto& t = statement.text;
    if (t == "CONTINUE") {
      read_continue(at);
      return at;
    }
    if (const auto found = find_step(t, body_.value); found && take(*found, at)) return at;
    if (body_.kind == "function" && t.starts_with("IF(")) return read_rejection(at);
    if (t.find('=') == std::string::npos) text_.refuse(statement, no_place);
    read_result(at);
    return at;
  }

  void read_continue(int at) {
    const auto& statement = text_.statement(at);
    if (!loop_label_.empty() && statement.label == loop_label_) {
      note(Step::loop_end, at);
    } else if (!statement.label.empty() && statement.branch == unit_.frame &&
               !body_.places.contains(Step::difference)) {
      label(at);
    } else if (!statement.label.empty()) {
      text_.refuse(statement, "a label is out of place");
    }
  }

  /// Puts a step in its place; false where such a statement is no step in this routine.
  bool take(const StepFound& found, int at) {
    const auto& statement = text_.statement(at);
    const auto& taken = found.taken;
    switch (found.step) {
      case Step::set_last:
        if (!taken.empty() && !is_integer(taken[0])) return false;
        body_.sequence = taken.empty() ? "lseq" : taken[0];
        break;
      case Step::set_conex:
        if (const auto around = text_.conditions(statement);
            around.size() > 1 || (around.size() == 1 && !is_conex(around[0])))
          text_.refuse(statement, "it stands under another conditional than CONEX");
        break;
      case Step::set_argument:
        if (body_.kind != "rmmard") return false;
        if (taken[0] != arguments_[2]) text_.refuse(statement, "it does not use the third argument");
        break;
      case Step::loop:
        if (body_.kind == "function") return false;
        loop_label_ = taken[0];
        index_ = taken[1];
        if (taken[2] != arguments_[1]) text_.refuse(statement, "it does not run over the length given");
        break;
      case Step::difference:
        for (std::size_t i = 2; i < taken.size(); ++i)
          if (taken[i] != taken[1]) text_.refuse(statement, "it mixes sequences");
        body_.value = taken[0];
        place(found.step, at, taken[1]);
        return true;
      case Step::wrap_difference:
        note(body_.places.contains(Step::subtract_c) ? Step::wrap_result : Step::wrap_difference, at);
        return true;
      case Step::store:
        if (taken[0] != taken[1]) text_.refuse(statement, "it mixes sequences");
        place(found.step, at, taken[0]);
        return true;
      default:
        return take_counted(found, at);
    }
    note(found.step, at);
    return true;
  }

  /// The same of steps that stand on one element of the state, and of the carry.
  bool take_counted(const StepFound& found, int at) {
    const auto& taken = found.taken;
    if (found.step == Step::carry_high || found.step == Step::carry_low || found.step == Step::carry_end) {
      if (!in_carry_) return false;
      if (found.step == Step::carry_end) in_carry_ = false;
    }
    if (found.step == Step::carry_if) in_carry_ = true;
    if (found.step == Step::count && taken[1] != (body_.kind == "function" ? "1" : arguments_[1]))
      text_.refuse(text_.statement(at), "it counts something else than the numbers drawn");
    if (taken.empty()) {
      note(found.step, at);
    } else {
      place(found.step, at, taken[0]);
    }
    return true;
  }

  static bool is_conex(const std::string& condition) {
    return condition == "if __CONEX__" || condition == "ifdef __CONEX__" ||
           condition == "if defined(__CONEX__)";
  }

  void read_result(int at) {
    const auto& statement = text_.statement(at);
    const auto equals = statement.text.find('=');
    const std::string target = statement.text.substr(0, equals);
    const std::string value = statement.text.substr(equals + 1);
    const bool plain = value == body_.value;
    const bool rounded = value == "SNGL(" + body_.value + ")" || value == "REAL(" + body_.value + ")";
    const bool doubled = value == "DBLE(" + body_.value + ")";
    if (body_.value.empty() || !(plain || rounded || doubled))
      text_.refuse(statement, "this statement has no place in it");
    if (body_.kind == "function") {
      if (!unit_.has_name(target)) text_.refuse(statement, "this statement has no place in it");
      if (rounded) body_.rounded = true;
    } else if (target != arguments_[0] + "(" + index_ + ")" || !(plain || doubled)) {
      text_.refuse(statement, "this statement has no place in it");
    }
    body_.results.push_back({text_.conditions(statement), target});
    note(Step::result, at);
  }

  /// Whether a condition says that the result is 0, or 1, or one of them; these go to `rejected`.
  bool is_bound(const std::string& condition, std::set<int>& rejected) const {
    std::string left = condition;
    for (;;) {
      const auto at = left.find(".OR.");
      const auto part = left.substr(0, at);
      const auto& name = unit_.name();
      const auto is = [&](const char* form) { return matches_name(part, form, name); };
      if (is(".EQ.%0") || is(".LE.%0"))
        rejected.insert(0);
      else if (is(".EQ.%1") || is(".GE.%1"))
        rejected.insert(1);
      else
        return false;
      if (at == std::string::npos) return true;
      left = left.substr(at + 4);
    }
  }
  static bool matches_name(const std::string& text, const char* form, const std::string& name) {
    return text.starts_with(name) && matches(std::string_view(text).substr(name.size()), form);
  }
  bool jumps_back(const std::string& text) const { return body_.label_place && text == "GOTO" + label_; }

  /// IF (name is 0 or 1) GOTO label, as a block IF or as one-line IFs. Gives the index of its last statement.
  int read_rejection(int at) {
    const auto& first = text_.statement(at);
    std::set<int> rejected;
    const auto head = split_if(first.text, "IF(");
    const int last = head && head->second == "THEN" ? read_block_if(at, head->first, rejected)
                                                    : read_one_line_ifs(at, rejected);
    if (rejected.empty()) text_.refuse(first, no_place);
    if (rejected.size() != 2) text_.refuse(first, "it does not draw again for both 0 and 1");
    body_.reject = true;
    note(Step::reject, at);
    return last;
  }

  int read_block_if(int at, const std::string& condition, std::set<int>& rejected) const {
    const auto& first = text_.statement(at);
    if (!is_bound(condition, rejected)) text_.refuse(first, no_place);
    for (int i = at + 1; i < unit_.end_statement; ++i) {
      const auto& inner = text_.statement(i);
      if (inner.branch != unit_.frame) text_.refuse(inner, "it stands under a conditional of its own");
      if (inner.text == "ENDIF") return i;
      if (jumps_back(inner.text)) continue;
      const auto other = split_if(inner.text, "ELSEIF(");
      if (!other || other->second != "THEN" || !is_bound(other->first, rejected))
        text_.refuse(inner, no_place);
    }
    text_.refuse(first, "the IF does not close");
  }

  int read_one_line_ifs(int at, std::set<int>& rejected) const {
    int last = at;
    for (int i = at; i < unit_.end_statement; ++i) {
      const auto parts = split_if(text_.statement(i).text, "IF(");
      if (!parts || !jumps_back(parts->second) || !is_bound(parts->first, rejected)) break;
      if (text_.statement(i).branch != unit_.frame)
        text_.refuse(text_.statement(i), "it stands under a conditional of its own");
      last = i;
    }
    return last;
  }

  /// ENTRY name(); name = 0; RETURN. Gives the index of its last statement.
  int read_entry(int at) {
    const auto& statement = text_.statement(at);
    const auto head = parse_head(statement.text);
    if (body_.kind != "function" || head.name.empty()) text_.refuse(statement, "it has an ENTRY point");
    if (statement.branch != unit_.frame) text_.refuse(statement, "it stands under a conditional of its own");
    if (!head.arguments.empty()) text_.refuse(statement, "its ENTRY point has arguments");
    if (text_.statement(at - 1).text != "RETURN")
      text_.refuse(statement, "the code before it runs on into it");
    if (at + 1 >= unit_.end_statement || !matches_name(text_.statement(at + 1).text, "=%0", head.name))
      text_.refuse(statement, "its ENTRY point does something else than returning 0");
    const int last = at + 1;
    body_.entries.push_back(head.name);
    if (last + 1 < unit_.end_statement && text_.statement(last + 1).text == "RETURN") return last + 1;
    if (last + 1 == unit_.end_statement) return last;
    text_.refuse(text_.statement(last + 1), "its ENTRY point does something else than returning 0");
  }

  const RoutineText& text_;
  const ProgramUnit& unit_;
  const std::vector<std::string> arguments_;
  RanmarBody body_;
  std::string index_;
  std::string label_;
  std::string loop_label_;
  bool in_carry_ = false;
};

}  // namespace

RanmarBody read_ranmar_body(const RoutineText& text, const std::string& kind) {
  return BodyReader(text, kind).read();
}

}  // namespace corsika_patches
