#include "corsika_patches/ranmar_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <utility>

#include "corsika_patches/array_declarations.h"
#include "corsika_patches/statement_text.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

// The steps of the shape. Each occurs once unless said otherwise.
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

bool match(const std::string& text, const std::string& pattern, std::smatch* groups = nullptr) {
  std::smatch local;
  return std::regex_match(text, groups != nullptr ? *groups : local, std::regex(pattern));
}

/// The walk over one body.
class Reader {
 public:
  Reader(const FixedFormSource& source, const ProgramUnit& unit, std::string kind, const std::string& file)
      : source_(source), unit_(unit), file_(file), arguments_(unit.heads.front().arguments) {
    traits_.kind = std::move(kind);
  }

  RanmarTraits read() {
    if (!unit_.irregular.empty())
      throw support::Error(fmt::format("{}:{}: {} cannot be replaced: {}; restore its stock form", file_,
                                       unit_.begin_line + 1, unit_.name(), unit_.irregular));
    check_heads();
    const auto& statements = source_.statements();
    int at = unit_.heads.back().statement + 1;
    at = read_specification(at);
    for (; at < unit_.end_statement; ++at) {
      const auto& statement = statements[static_cast<std::size_t>(at)];
      if (statement.split) refuse(statement, "a directive cuts through it");
      if (statement.text.starts_with("ENTRY")) {
        at = read_entry(at);
      } else {
        if (!entries_done_.empty()) refuse(statement, "it stands behind an ENTRY point");
        at = read_statement(at);
      }
    }
    finish();
    return traits_;
  }

 private:
  const Statement& statement_at(int index) const {
    return source_.statements()[static_cast<std::size_t>(index)];
  }

  [[noreturn]] void refuse(const Statement& statement, const std::string& why) const {
    throw support::Error(fmt::format(
        "{}:{}: {} is not in the shape of RANMAR that the rules know: {} [{}]; restore its stock form, or "
        "add a rule",
        file_, statement.first + 1, unit_.name(), why, trim(source_.text().line(statement.first))));
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw support::Error(fmt::format(
        "{}:{}: {} is not in the shape of RANMAR that the rules know: {}; restore its stock form, or add a "
        "rule",
        file_, unit_.begin_line + 1, unit_.name(), why));
  }

  void check_heads() const {
    const bool function = traits_.kind == "function";
    for (const auto& head : unit_.heads) {
      if (unit_.split_head) refuse(statement_at(head.statement), "a directive cuts through it");
      if (head.kind != (function ? "FUNCTION" : "SUBROUTINE"))
        refuse(statement_at(head.statement), "it is a " + head.kind);
      if (head.type != unit_.heads.front().type || head.arguments != arguments_)
        refuse(statement_at(head.statement), "its heads differ in more than the name");
    }
    if (traits_.kind == "vector" && arguments_.size() != 2) refuse("it has not two arguments");
    if (traits_.kind == "rmmard" && arguments_.size() != 3) refuse("it has not three arguments");
  }

  // --- declarations
  // -------------------------------------------------------------------------------------------

  int read_specification(int at) {
    static const std::set<std::string> state = {"U",     "C",    "I97",    "J97",    "NTOT",
                                                "NTOT2", "IJKL", "JSEQ",   "CD",     "CM",
                                                "CINT",  "KSEQ", "MODCNS", "TWOM24", "TWOM48"};
    bool own_state = false;
    for (int i = at; i < unit_.end_statement && is_specification(statement_at(i).text); ++i)
      if (statement_at(i).text.starts_with("COMMON/CRRANMA")) own_state = true;
    for (; at < unit_.end_statement; ++at) {
      const auto& statement = statement_at(at);
      const auto& text = statement.text;
      if (!is_specification(text)) break;
      if (text.starts_with("IMPLICIT")) {
        implicit_.push_back(text);
        continue;
      }
      if (text.starts_with("DATA"))
        for (const auto& name : identifiers(std::string_view(text).substr(4)))
          if (state.contains(name)) refuse(statement, "it gives " + name + " a start value");
      ArrayDeclarations declared;
      declared.add(text);
      for (const auto& name : state) {
        const auto* entry = declared.find(name);
        if (entry == nullptr || (own_state && !entry->aliased && (!entry->constant || name == "KSEQ")))
          continue;
        refuse(statement, "it declares " + name + " anew");
      }
      read_type(text);
    }
    return at;
  }

  void read_type(const std::string& text) {
    std::smatch m;
    static const std::regex form(
        R"(^(DOUBLEPRECISION|REAL(?:\*[48]|\([48]\))?|INTEGER(?:\*4)?|LOGICAL|COMPLEX)(?:::)?(.*)$)");
    if (!std::regex_match(text, m, form)) return;
    for (const auto& declarator : split_arguments(m[2].str())) {
      const auto reference = parse_reference(declarator);
      if (reference) types_[reference->name] = m[1].str();
    }
  }

  static std::string plain_type(const std::string& type) {
    if (type == "REAL" || type == "REAL*4" || type == "REAL(4)") return "REAL";
    if (type == "DOUBLEPRECISION" || type == "REAL*8" || type == "REAL(8)") return "DOUBLE PRECISION";
    if (type.starts_with("INTEGER")) return "INTEGER";
    return {};
  }

  /// Declared type, or the one that IMPLICIT gives; empty where that cannot be told.
  std::string type_of(const std::string& name) const {
    if (const auto it = types_.find(name); it != types_.end()) return plain_type(it->second);
    if (implicit_.empty()) return name[0] >= 'I' && name[0] <= 'N' ? "INTEGER" : "REAL";
    if (implicit_.size() == 1 &&
        (implicit_[0] == "IMPLICITDOUBLEPRECISION(A-H,O-Z)" || implicit_[0] == "IMPLICITREAL*8(A-H,O-Z)"))
      return name[0] >= 'I' && name[0] <= 'N' ? "INTEGER" : "DOUBLE PRECISION";
    return {};
  }

  // --- statements
  // ---------------------------------------------------------------------------------------------

  /// Conditions around a statement within the unit, as text.
  std::vector<std::string> conditions(const Statement& statement) const {
    std::vector<std::string> out;
    for (const int branch : source_.path(unit_.frame, statement.branch)) {
      const auto& b = source_.branches()[static_cast<std::size_t>(branch)];
      out.push_back(b.keyword + " " + b.condition);
    }
    return out;
  }

  void note(Step step, int at) {
    const auto& statement = statement_at(at);
    if (step != Step::result && step != Step::leave && places_.contains(step))
      refuse(statement, "it is there twice");
    if (step != Step::result && step != Step::set_conex && statement.branch != unit_.frame)
      refuse(statement, "it stands under a conditional of its own");
    places_.emplace(step, at);
    if (!statement.label.empty() && step != Step::difference && step != Step::leave &&
        !(step == Step::loop_end && statement.label == loop_label_))
      refuse(statement, "it has a label");
    if (step == Step::difference && !statement.label.empty()) label(at);
  }

  void label(int at) {
    const auto& statement = statement_at(at);
    if (label_place_) refuse(statement, "it is a second label");
    label_ = statement.label;
    label_place_ = at;
  }

  bool same_subscript(const std::string& s) {
    if (subscript_.empty()) subscript_ = s;
    return subscript_ == s;
  }

  int read_statement(int at) {
    const auto& statement = statement_at(at);
    const auto& t = statement.text;
    std::smatch m;
    static const std::string s = R"(\((JSEQ|\d+)\))";
    static const std::string one = R"(1\.?)";
    static const std::string nil = R"(0\.?)";
    const std::string v = value_.empty() ? "(?!)" : value_;
    const auto place = [&](Step step, const std::string& subscript) {
      if (!same_subscript(subscript)) refuse(statement, "it uses another sequence");
      note(step, at);
    };

    if (match(t, "RETURN")) {
      note(Step::leave, at);
    } else if (match(t, "CONTINUE")) {
      if (!loop_label_.empty() && statement.label == loop_label_) {
        note(Step::loop_end, at);
      } else if (!statement.label.empty() && statement.branch == unit_.frame &&
                 !places_.contains(Step::difference)) {
        label(at);
      } else if (!statement.label.empty()) {
        refuse(statement, "a label is out of place");
      }
    } else if (match(t, "JSEQ=(\\d+|LSEQ)", &m)) {
      traits_.sequence = m[1] == "LSEQ" ? "lseq" : m[1].str();
      note(Step::set_last, at);
    } else if (match(t, R"(IF\(FINCNX\)JSEQ=LSEQ)")) {
      const auto around = conditions(statement);
      if (around.size() > 1 || (around.size() == 1 && !is_conex(around[0])))
        refuse(statement, "it stands under another conditional than CONEX");
      note(Step::set_conex, at);
    } else if (traits_.kind == "rmmard" &&
               (match(t, R"(IF\((\w+)\.(?:GT\.0|GE\.1)\.AND\.\1\.LE\.KSEQ\)JSEQ=\1)", &m) ||
                match(t, R"(IF\((\w+)\.LE\.KSEQ\.AND\.\1\.(?:GT\.0|GE\.1)\)JSEQ=\1)", &m))) {
      if (m[1] != arguments_[2]) refuse(statement, "it does not use the third argument");
      note(Step::set_argument, at);
    } else if (match(t, R"(DO(\d*),?([A-Z]\w*)=1,(\w+))", &m) && traits_.kind != "function") {
      loop_label_ = m[1];
      index_ = m[2];
      if (m[3] != arguments_[1]) refuse(statement, "it does not run over the length given");
      note(Step::loop, at);
    } else if (match(t, "ENDDO")) {
      note(Step::loop_end, at);
    } else if (match(t, R"(([A-Z]\w*)=U\(I97\((JSEQ|\d+)\),(JSEQ|\d+)\)-U\(J97\((JSEQ|\d+)\),(JSEQ|\d+)\))",
                     &m)) {
      if (m[2] != m[3] || m[3] != m[4] || m[4] != m[5]) refuse(statement, "it mixes sequences");
      value_ = m[1];
      place(Step::difference, m[2]);
    } else if (match(t, "IF\\((" + v + ")\\.LT\\." + nil + "\\)\\1=\\1\\+" + one)) {
      note(places_.contains(Step::subtract_c) ? Step::wrap_result : Step::wrap_difference, at);
    } else if (match(t, R"(U\(I97\((JSEQ|\d+)\),(JSEQ|\d+)\)=)" + v, &m)) {
      if (m[1] != m[2]) refuse(statement, "it mixes sequences");
      place(Step::store, m[1]);
    } else if (match(t, "([IJ])97" + s + R"(=\1(?:97))" + R"(\(\2\)-1)", &m)) {
      place(m[1] == "I" ? Step::step_i : Step::step_j, m[2]);
    } else if (match(t, R"(IF\(([IJ])97)" + s + R"(\.(?:EQ\.0|LE\.0|LT\.1)\)\1(?:97))" + R"(\(\2\)=97)",
                     &m)) {
      place(m[1] == "I" ? Step::wrap_i : Step::wrap_j, m[2]);
    } else if (match(t, "C" + s + R"(=C\(\1\)-CD)", &m)) {
      place(Step::step_c, m[1]);
    } else if (match(t, R"(IF\(C)" + s + R"(\.LT\.)" + nil + R"(\)C\(\1\)=C\(\1\)\+CM)", &m)) {
      place(Step::wrap_c, m[1]);
    } else if (match(t, "(" + v + ")=\\1-C" + s, &m)) {
      place(Step::subtract_c, m[2]);
    } else if (match(t, "IF\\((" + v + ")\\.EQ\\." + nil + "\\)\\1=TWOM48")) {
      note(Step::zero, at);
    } else if (match(t, "NTOT" + s + R"(=NTOT\(\1\)\+(\w+))", &m)) {
      const std::string step = traits_.kind == "function" ? "1" : arguments_[1];
      if (m[2] != step) refuse(statement, "it counts something else than the numbers drawn");
      place(Step::count, m[1]);
    } else if (match(t, R"(IF\(NTOT)" + s + R"(\.GE\.MODCNS\)THEN)", &m)) {
      place(Step::carry_if, m[1]);
      in_carry_ = true;
    } else if (in_carry_ && match(t, "NTOT2" + s + R"(=NTOT2\(\1\)\+1)", &m)) {
      place(Step::carry_high, m[1]);
    } else if (in_carry_ && match(t, "NTOT" + s + R"(=NTOT\(\1\)-MODCNS)", &m)) {
      place(Step::carry_low, m[1]);
    } else if (in_carry_ && match(t, "ENDIF")) {
      note(Step::carry_end, at);
      in_carry_ = false;
    } else if (traits_.kind == "function" && t.starts_with("IF(")) {
      return read_rejection(at);
    } else if (t.find('=') != std::string::npos) {
      read_result(at);
    } else {
      refuse(statement, "this statement has no place in it");
    }
    return at;
  }

  static bool is_conex(const std::string& condition) {
    return condition == "if __CONEX__" || condition == "ifdef __CONEX__" ||
           condition == "if defined(__CONEX__)";
  }

  void read_result(int at) {
    const auto& statement = statement_at(at);
    const auto equals = statement.text.find('=');
    const std::string target = statement.text.substr(0, equals);
    const std::string value = statement.text.substr(equals + 1);
    const bool plain = value == value_;
    const bool rounded = value == "SNGL(" + value_ + ")" || value == "REAL(" + value_ + ")";
    const bool doubled = value == "DBLE(" + value_ + ")";
    if (value_.empty() || !(plain || rounded || doubled))
      refuse(statement, "this statement has no place in it");
    if (traits_.kind == "function") {
      if (!unit_.has_name(target)) refuse(statement, "this statement has no place in it");
      if (rounded) rounded_ = true;
    } else if (target != arguments_[0] + "(" + index_ + ")" || !(plain || doubled)) {
      refuse(statement, "this statement has no place in it");
    }
    results_.push_back({conditions(statement), target});
    note(Step::result, at);
  }

  /// IF (name is 0 or 1) GOTO label, as a block IF or as one-line IFs. Gives the index of its last statement.
  int read_rejection(int at) {
    const auto& first = statement_at(at);
    std::set<int> rejected;
    int last = at;
    const std::string name = unit_.name();
    const auto test = [&](const std::string& text) {
      static const std::regex form(R"((\w+)\.(EQ|LE|GE)\.([01])\.?)");
      std::smatch m;
      std::string left = text;
      for (std::size_t at_or = 0; at_or != std::string::npos;) {
        at_or = left.find(".OR.");
        const std::string part = left.substr(0, at_or);
        if (at_or != std::string::npos) left = left.substr(at_or + 4);
        if (!std::regex_match(part, m, form) || m[1] != name) return false;
        const int bound = m[3] == "0" ? 0 : 1;
        if ((m[2] == "LE" && bound != 0) || (m[2] == "GE" && bound != 1)) return false;
        rejected.insert(bound);
      }
      return true;
    };
    std::smatch m;
    const auto jump = [&](const std::string& text) { return label_place_ && text == "GOTO" + label_; };
    if (match(first.text, R"(IF\((.*)\)THEN)", &m)) {
      if (!test(m[1])) refuse(first, "this statement has no place in it");
      for (int i = at + 1;; ++i) {
        if (i >= unit_.end_statement) refuse(first, "the IF does not close");
        const auto& inner = statement_at(i);
        if (inner.branch != unit_.frame) refuse(inner, "it stands under a conditional of its own");
        last = i;
        if (inner.text == "ENDIF") break;
        if (jump(inner.text)) continue;
        if (match(inner.text, R"(ELSEIF\((.*)\)THEN)", &m) && test(m[1])) continue;
        refuse(inner, "this statement has no place in it");
      }
    } else {
      for (int i = at; i < unit_.end_statement; ++i) {
        if (!match(statement_at(i).text, R"(IF\((.*)\)(GOTO\d+))", &m) || !jump(m[2]) || !test(m[1])) break;
        if (statement_at(i).branch != unit_.frame)
          refuse(statement_at(i), "it stands under a conditional of its own");
        last = i;
      }
      if (rejected.empty()) refuse(first, "this statement has no place in it");
    }
    if (rejected.size() != 2) refuse(first, "it does not draw again for both 0 and 1");
    traits_.reject = true;
    note(Step::reject, at);
    return last;
  }

  /// ENTRY name(); name = 0; RETURN. Gives the index of its last statement.
  int read_entry(int at) {
    const auto& statement = statement_at(at);
    const auto head = parse_head(statement.text);
    if (traits_.kind != "function" || head.name.empty()) refuse(statement, "it has an ENTRY point");
    if (statement.branch != unit_.frame) refuse(statement, "it stands under a conditional of its own");
    if (!head.arguments.empty()) refuse(statement, "its ENTRY point has arguments");
    if (statement_at(at - 1).text != "RETURN") refuse(statement, "the code before it runs on into it");
    if (at + 1 >= unit_.end_statement || !match(statement_at(at + 1).text, head.name + R"(=0\.?)"))
      refuse(statement, "its ENTRY point does something else than returning 0");
    const int last = at + 1;
    entries_done_.push_back(head.name);
    if (last + 1 < unit_.end_statement && statement_at(last + 1).text == "RETURN") return last + 1;
    if (last + 1 == unit_.end_statement) return last;
    refuse(statement_at(last + 1), "its ENTRY point does something else than returning 0");
  }

  // --- the whole
  // ----------------------------------------------------------------------------------------------

  int place_of(Step step) const { return places_.at(step); }
  void need(Step step) const {
    if (!places_.contains(step)) refuse(std::string(describe(step)) + " is missing");
  }
  void order(std::initializer_list<Step> steps) const {
    const Step* before = nullptr;
    for (const Step& step : steps) {
      if (!places_.contains(step)) continue;
      if (before != nullptr && place_of(*before) >= place_of(step))
        refuse(statement_at(place_of(step)), "it stands before " + std::string(describe(*before)));
      before = &step;
    }
  }

  void finish() {
    for (const Step step :
         {Step::difference, Step::wrap_difference, Step::store, Step::step_i, Step::wrap_i, Step::step_j,
          Step::wrap_j, Step::step_c, Step::wrap_c, Step::subtract_c, Step::wrap_result, Step::result,
          Step::count, Step::carry_if, Step::carry_high, Step::carry_low, Step::carry_end})
      need(step);
    order({Step::set_last, Step::set_conex, Step::difference, Step::wrap_difference, Step::store,
           Step::step_i, Step::wrap_i});
    order({Step::set_argument, Step::difference, Step::step_j, Step::wrap_j});
    order({Step::store, Step::subtract_c, Step::wrap_result, Step::zero, Step::result});
    order({Step::step_c, Step::wrap_c, Step::subtract_c});
    order({Step::count, Step::carry_if, Step::carry_high, Step::carry_end});
    order({Step::carry_if, Step::carry_low, Step::carry_end, Step::reject});
    order({Step::result, Step::reject});
    for (const auto& [step, at] : places_)
      if (places_.contains(Step::leave) && at > place_of(Step::leave))
        refuse(statement_at(at), "it stands behind a RETURN");
    if (const auto type = types_.find(value_);
        type == types_.end() ? value_ != "UNI" : plain_type(type->second) != "DOUBLE PRECISION")
      refuse("its working variable " + value_ + " is not known to be DOUBLE PRECISION");
    finish_sequence();
    finish_loop();
    finish_results();
    traits_.zero = places_.contains(Step::zero);
    if (traits_.reject && (!label_place_ || *label_place_ > place_of(Step::difference)))
      refuse("the label to draw again is out of place");
    if (traits_.reject && label_place_ && places_.contains(Step::set_conex) &&
        statement_at(*label_place_).branch != unit_.frame)
      refuse("the label to draw again is out of place");
    if (traits_.kind == "function") finish_function();
  }

  void finish_sequence() {
    if (traits_.kind == "rmmard") {
      need(Step::set_argument);
      need(Step::zero);  // its replacement has the rule
      if (places_.contains(Step::set_last) || places_.contains(Step::set_conex) || subscript_ != "JSEQ")
        refuse("it does not use the sequence that it is given");
      traits_.sequence = "argument";
      traits_.last = true;
      return;
    }
    if (subscript_ == "JSEQ") {
      if (!places_.contains(Step::set_last)) refuse("it does not choose its sequence");
      traits_.last = true;
      traits_.conex = places_.contains(Step::set_conex);
    } else {
      if (places_.contains(Step::set_last) || places_.contains(Step::set_conex))
        refuse("it sets the sequence used last and draws from another one");
      traits_.sequence = subscript_;
    }
    if (places_.contains(Step::set_conex)) order({Step::set_conex, Step::count});
    order({Step::set_last, Step::count});
  }

  void finish_loop() const {
    if (traits_.kind == "function") return;
    need(Step::loop);
    need(Step::loop_end);
    order({Step::loop, Step::difference});
    order({Step::result, Step::loop_end});
    for (const Step inside : {Step::wrap_i, Step::wrap_j, Step::wrap_c})
      if (place_of(inside) > place_of(Step::loop_end))
        refuse(statement_at(place_of(inside)), "it stands behind the loop");
    for (const Step outside :
         {Step::count, Step::carry_if, Step::carry_high, Step::carry_low, Step::carry_end})
      if (place_of(outside) > place_of(Step::loop) && place_of(outside) < place_of(Step::loop_end))
        refuse(statement_at(place_of(outside)), "it stands inside the loop");
    for (const Step outside : {Step::set_last, Step::set_conex, Step::set_argument})
      if (places_.contains(outside)) order({outside, Step::loop});
    if (traits_.kind == "rmmard") order({Step::set_argument, Step::count});
    if (label_place_ && *label_place_ > place_of(Step::loop))
      refuse(statement_at(*label_place_), "it has a label");
  }

  void finish_results() const {
    if (traits_.kind != "function") {
      if (results_.size() != 1 || !results_[0].first.empty())
        refuse("its result is assigned more than once, or not always");
      return;
    }
    std::vector<std::pair<std::vector<std::string>, std::string>> heads;
    for (const auto& head : unit_.heads)
      heads.emplace_back(conditions(statement_at(head.statement)), head.name);
    if (heads != results_) refuse("its result is not assigned under the conditionals of its head");
  }

  void finish_function() {
    const auto& head = unit_.heads.front();
    traits_.result = head.type.empty() ? type_of(head.name) : plain_type(head.type);
    if (traits_.result != "REAL" && traits_.result != "DOUBLE PRECISION")
      refuse("the type of its result cannot be told");
    if (rounded_ && traits_.result != "REAL") refuse("it rounds a DOUBLE PRECISION result to REAL");
    for (const auto& entry : entries_done_) {
      const auto type = type_of(entry);
      if (type != traits_.result) refuse("its ENTRY point " + entry + " is not of its own type");
    }
    traits_.entries = entries_done_;
    if (traits_.entries.size() > 2) refuse("it has more than two ENTRY points");
    std::string type;
    std::string names;
    for (const auto& argument : arguments_) {
      const auto own = type_of(argument);
      if (own.empty() || (!type.empty() && own != type))
        refuse("the type of its argument " + argument + " cannot be told");
      type = own;
      names += (names.empty() ? "" : ",") + argument;
    }
    if (!names.empty()) traits_.dummy = type + " " + names;
  }

  const FixedFormSource& source_;
  const ProgramUnit& unit_;
  const std::string file_;
  const std::vector<std::string> arguments_;
  RanmarTraits traits_;
  std::map<std::string, std::string> types_;
  std::vector<std::string> implicit_;
  std::map<Step, int> places_;
  std::vector<std::pair<std::vector<std::string>, std::string>> results_;
  std::vector<std::string> entries_done_;
  std::string value_;
  std::string subscript_;
  std::string index_;
  std::string label_;
  std::optional<int> label_place_;
  std::string loop_label_;
  bool in_carry_ = false;
  bool rounded_ = false;
};

}  // namespace

RanmarTraits recognise_ranmar(const FixedFormSource& source, const ProgramUnit& unit, const std::string& kind,
                              const std::string& file) {
  return Reader(source, unit, kind, file).read();
}

}  // namespace corsika_patches
