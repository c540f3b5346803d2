// Finds calls of the generator and writes the blocks that draw in place. Works on texts alone.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "corsika-patches/patch.h"
#include "corsika-patches/statement_text.h"

namespace corsika_patches {
namespace {

constexpr std::size_t longest_element = 30;  // so that lines of the include stay within 72 columns

/// A call that draws in place.
struct Draw {
  int length = 0, sequence = 0;
  std::vector<std::string> elements;  ///< what it fills: array elements, or one scalar
};

/// One unit: its declarations, the macros that it defines for the header, and the place for our declarations.
class UnitSites {
 public:
  UnitSites(const FixedFormSource& source, const ProgramUnit& unit, const HeaderBlocks& header,
            const Rule& rule)
      : source_(source), unit_(unit), header_(header), rule_(rule), own_(declarations_of(source, unit)) {
    survey();
  }

  /// Line behind which the declarations go; -1 where there is no place.
  int place() const { return place_; }

  /// Settles one call: fills the draw. Returns why the call is left as it is; empty where it is not.
  std::string settle(const Statement& statement, const std::string& arguments, Draw& draw) const {
    const auto parts = split_arguments(arguments);
    if (parts.size() != 3) return "it has not three arguments";
    if (!is_integer(parts[1]) || parts[1].size() > 4) return "its length is no literal";
    draw.length = std::stoi(parts[1]);
    if (draw.length < 1 || draw.length > rule_.number("longest"))
      return fmt::format("its length is not 1 to {}", rule_.number("longest"));
    if (!is_integer(parts[2]) || parts[2].size() > 4) return "its sequence is no literal";
    draw.sequence = std::stoi(parts[2]);
    if (draw.sequence < 1 || draw.sequence > rule_.number("highest_sequence"))
      return fmt::format("its sequence is not 1 to {}", rule_.number("highest_sequence"));
    const auto light = rule_.list("light_routines");
    if (draw.sequence == rule_.number("light_sequence") &&
        std::none_of(light.begin(), light.end(), [&](const auto& name) { return unit_.has_name(name); }))
      return "its sequence is that of light, which recorded steps may draw first";
    if (!statement.label.empty()) return "it has a label";
    if (statement.split) return "a directive cuts through it";
    if (!unit_.irregular.empty()) return "its unit is irregular: " + unit_.irregular;
    if (place_ < 0) return reason_;
    if (statement.first <= place_) return "it stands before the declarations";
    return name_elements(statement, parts[0], draw);
  }

 private:
  void survey() {
    int first_executed = unit_.end_line;
    for (int i = unit_.first_statement; i < unit_.end_statement; ++i)
      if (const auto& s = source_.statement(i); !unit_.is_head(i) && !is_specification(s.text))
        first_executed = std::min(first_executed, s.first);
    for (const auto& d : source_.directives()) {
      if (d.line < unit_.begin_line || d.line > unit_.end_line) continue;
      if (d.keyword == "define") defines_.emplace(d.rest.substr(0, d.rest.find(' ')), d.branch);
      if (d.keyword == "include" && place_ < 0 && d.line < first_executed &&
          d.rest == "\"" + rule_.text("header") + "\"" && d.branch == unit_.frame)
        place_ = d.last;
    }
    if (unit_.heads.empty() || unit_.heads.front().kind == "BLOCKDATA")
      reason_ = "its unit has no head";
    else if (place_ < 0)
      reason_ = fmt::format("its unit does not include {} in its declarations", rule_.text("header"));
    for (int i = unit_.first_statement; i < unit_.end_statement && reason_.empty(); ++i)
      if (const auto& s = source_.statement(i); s.text.starts_with("IMPLICIT") && s.first > place_)
        reason_ = "its unit has an IMPLICIT statement behind the header";
    if (!reason_.empty()) place_ = -1;
  }

  /// Whether `branch` holds wherever `other` does, as far as the conditions' text tells.
  bool implied(int branch, int other) const {
    const auto have = source_.conditions(unit_.frame, other);
    for (const int b : source_.path(unit_.frame, branch)) {
      const auto& c = source_.branch(b);
      const bool said = c.keyword.starts_with("if") &&
                        std::find(have.begin(), have.end(), c.keyword + " " + c.condition) != have.end();
      if (!said && !source_.within(other, b)) return false;
    }
    return true;
  }

  std::string name_elements(const Statement& statement, const std::string& target, Draw& draw) const {
    const auto reference = parse_reference(target);
    if (!reference) return "its array is no plain name or element";
    const auto& name = reference->name;
    const Declarations::Entry* entry = own_.find(name);
    if (entry == nullptr) {
      for (const auto& [guard, block] : header_) {
        const auto [from, to] = defines_.equal_range(guard);
        for (auto it = from; it != to && entry == nullptr; ++it)
          if (implied(it->second, statement.branch)) entry = block.find(name);
        if (entry != nullptr) break;
      }
    }
    if (entry == nullptr)
      return "its array is not declared in the unit or a block of the header that the unit asks for";
    if (entry->uncertain || entry->constant) return "its array is declared under a condition";
    if (entry->aliased) return "its array is in an EQUIVALENCE";
    if (!entry->typed_double()) return "its array is not declared DOUBLE PRECISION";
    if (entry->dimensions.empty()) {
      if (reference->inner) return "its array is not declared as one";
      if (draw.length != 1) return "it fills a scalar with more than one number";
      draw.elements = {name};
    } else if (entry->dimensions.size() != 1) {
      return "its array has more than one dimension";
    } else {
      auto why = reference->inner ? name_from_index(name, *reference->inner, draw)
                                        : name_from_start(name, entry->dimensions[0], draw);
      if (!why.empty()) return why;
    }
    for (const auto& element : draw.elements)
      if (element.size() > longest_element) return "the name of its element is too long";
    return "";
  }

  static std::string name_from_index(const std::string& name, const std::string& index, Draw& draw) {
    const bool number = is_integer(index) && index.size() < 9;
    if (!number && (!is_name(index) || index == name)) return "its index is no literal or plain name";
    for (int k = 0; k < draw.length; ++k)
      draw.elements.push_back(number   ? fmt::format("{}({})", name, std::stoi(index) + k)
                              : k == 0 ? fmt::format("{}({})", name, index)
                                       : fmt::format("{}({}+{})", name, index, k));
    return "";
  }

  static std::string name_from_start(const std::string& name, const std::string& dimension, Draw& draw) {
    if (dimension.find(':') != std::string::npos && !dimension.starts_with("1:"))
      return "its array does not begin at 1";
    if (is_integer(dimension) && dimension.size() < 9 && std::stoi(dimension) < draw.length)
      return "its array is declared shorter than the draw";
    return name_from_index(name, "1", draw);
  }

  const FixedFormSource& source_;
  const ProgramUnit& unit_;
  const HeaderBlocks& header_;
  const Rule& rule_;
  const Declarations own_;
  std::multimap<std::string, int> defines_;
  int place_ = -1;
  std::string reason_;
};

}  // namespace

Json inline_call_sites(const std::string& name, const SourceFile& file, const std::vector<ProgramUnit>& units,
                       const HeaderBlocks& header, const RuleSet& rules, std::vector<Block>& blocks) {
  Json all = Json::array();
  const auto add = [&](int first, int last, std::vector<std::string> lines) {
    blocks.push_back({rules.macro, rules.name, first, last, std::move(lines)});
  };
  const auto rule = rules.rules.table("call_sites");
  const auto call = "CALL" + rule.text("routine");
  for (const auto& unit : units) {
    std::optional<UnitSites> sites;
    bool any = false;
    for (int i = unit.first_statement; i <= unit.end_statement; ++i) {
      const auto& statement = file.source->statement(i);
      if (statement.text.find(call + "(") == std::string::npos) continue;
      if (!sites) sites.emplace(*file.source, unit, header, rule);
      Draw draw;
      const auto whole = parse_reference(statement.text);
      const auto reason = !whole || whole->name != call
                              ? "it is part of another statement"
                              : sites->settle(statement, whole->inner.value_or(""), draw);
      all.push_back({{"unit", unit.name()}, {"file", name}, {"line", statement.first + 1}});
      if (!reason.empty()) {
        all.back().update({{"action", "left"}, {"reason", reason}});
        continue;
      }
      all.back().update({{"action", "inlined"},
                         {"length", draw.length},
                         {"sequence", draw.sequence},
                         {"elements", draw.elements}});
      any = true;
      std::vector<std::string> lines = {fmt::format("#define RNM_N {}", draw.length),
                                        fmt::format("#define RNM_S {}", draw.sequence)};
      for (std::size_t k = 0; k < draw.elements.size(); ++k)
        lines.push_back(fmt::format("#define RNM_V{} {}", k + 1, draw.elements[k]));
      lines.push_back(fmt::format("#include \"{}\"", rule.text("draw_include")));
      add(statement.first, statement.last, std::move(lines));
    }
    if (any)
      add(sites->place() + 1, sites->place(), {fmt::format("#include \"{}\"", rule.text("common_include"))});
  }
  return all;
}

}  // namespace corsika_patches
