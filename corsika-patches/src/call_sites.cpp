// Finds calls of the generator and writes the blocks that draw in place. Works on texts alone.
#include "corsika_patches/call_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "corsika_patches/statement_text.h"

namespace corsika_patches {
namespace {

constexpr std::size_t longest_element = 30;  // so that lines of the include stay within 72 columns

/// Index range of a unit's items.
struct Range {
  std::size_t begin, end;
};

/// One unit: its declarations, the macros that it defines for the header, and the place for our declarations.
class UnitSites {
 public:
  UnitSites(const FixedFormSource& source, const ProgramUnit& unit, Range items, const HeaderBlocks& header,
            const CallSiteRule& rule)
      : source_(source), unit_(unit), header_(header), rule_(rule) {
    survey(items);
  }

  /// Line behind which the declarations go; -1 where there is no place, then `reason()` says why.
  int place() const { return place_; }
  const std::string& reason() const { return reason_; }

  /// Settles one call; fills elements or the reason.
  void settle(const Statement& statement, const std::string& arguments, CallSite& site) const {
    const auto parts = split_arguments(arguments);
    if (parts.size() != 3) return leave(site, "it has not three arguments");
    if (!is_integer(parts[1]) || parts[1].size() > 4) return leave(site, "its length is no literal");
    site.length = std::stoi(parts[1]);
    if (site.length < 1 || site.length > rule_.longest)
      return leave(site, fmt::format("its length is not 1 to {}", rule_.longest));
    if (!is_integer(parts[2]) || parts[2].size() > 4) return leave(site, "its sequence is no literal");
    site.sequence = std::stoi(parts[2]);
    if (site.sequence < 1 || site.sequence > rule_.highest_sequence)
      return leave(site, fmt::format("its sequence is not 1 to {}", rule_.highest_sequence));
    if (site.sequence == rule_.light_sequence &&
        std::none_of(rule_.light_routines.begin(), rule_.light_routines.end(),
                     [&](const std::string& name) { return unit_.has_name(name); }))
      return leave(site, "its sequence is that of light, which recorded steps may draw first");
    if (!statement.label.empty()) return leave(site, "it has a label");
    if (statement.split) return leave(site, "a directive cuts through it");
    if (!unit_.irregular.empty()) return leave(site, "its unit is irregular: " + unit_.irregular);
    if (place_ < 0) return leave(site, reason_);
    if (statement.first <= place_) return leave(site, "it stands before the declarations");
    name_elements(statement, parts[0], site);
  }

 private:
  static void leave(CallSite& site, std::string reason) { site.reason = std::move(reason); }

  void survey(Range items) {
    bool executing = false;
    int include_line = -1;
    int late_implicit = -1;
    for (std::size_t i = items.begin; i < items.end; ++i) {
      const auto& item = source_.items()[i];
      if (item.kind == Item::Kind::directive) {
        const auto& d = source_.directives()[static_cast<std::size_t>(item.index)];
        if (d.keyword == "define") {
          defines_.emplace(d.rest.substr(0, d.rest.find(' ')), d.branch);
        } else if (d.keyword == "include" && !executing && include_line < 0 &&
                   d.rest == "\"" + rule_.header + "\"" && d.branch == unit_.frame) {
          include_line = d.last;
        }
        continue;
      }
      const auto& s = source_.statements()[static_cast<std::size_t>(item.index)];
      if (s.text.starts_with("END") && item.index == unit_.end_statement) break;
      bool head = false;
      for (const auto& h : unit_.heads) head = head || h.statement == item.index;
      if (head) continue;
      if (!is_specification(s.text)) {
        executing = true;
        continue;
      }
      if (s.text.starts_with("IMPLICIT") && include_line >= 0) late_implicit = s.first;
      if (s.text.starts_with("FORMAT") || s.text.starts_with("DATA")) continue;
      if (s.split || s.branch != unit_.frame) {
        own_.add_uncertain(s.text);
      } else {
        own_.add(s.text);
      }
    }
    if (unit_.heads.empty() || unit_.heads.front().kind == "BLOCKDATA") {
      reason_ = "its unit has no head";
    } else if (include_line < 0) {
      reason_ = fmt::format("its unit does not include {} in its declarations", rule_.header);
    } else if (late_implicit >= 0) {
      reason_ = "its unit has an IMPLICIT statement behind the header";
    } else {
      place_ = include_line;
    }
  }

  /// Whether `branch` holds wherever `other` does, as far as the conditions' text tells.
  bool implied(int branch, int other) const {
    const auto have = source_.conditions(unit_.frame, other);
    for (const int b : source_.path(unit_.frame, branch)) {
      const auto& c = source_.branches()[static_cast<std::size_t>(b)];
      const bool said = c.keyword.starts_with("if") &&
                        std::find(have.begin(), have.end(), c.keyword + " " + c.condition) != have.end();
      if (!said && !source_.within(other, b)) return false;
    }
    return true;
  }

  void name_elements(const Statement& statement, const std::string& target, CallSite& site) const {
    const auto reference = parse_reference(target);
    if (!reference) return leave(site, "its array is no plain name or element");
    const auto& name = reference->name;
    const ArrayDeclarations::Entry* entry = own_.find(name);
    if (entry == nullptr) {
      for (const auto& [guard, block] : header_) {
        const auto [from, to] = defines_.equal_range(guard);
        for (auto it = from; it != to && entry == nullptr; ++it)
          if (implied(it->second, statement.branch)) entry = block.find(name);
        if (entry != nullptr) break;
      }
    }
    if (entry == nullptr)
      return leave(site,
                   "its array is not declared in the unit or a block of the header that the unit asks for");
    if (entry->uncertain || entry->constant) return leave(site, "its array is declared under a condition");
    if (entry->aliased) return leave(site, "its array is in an EQUIVALENCE");
    if (!entry->typed_double()) return leave(site, "its array is not declared DOUBLE PRECISION");
    if (entry->dimensions.empty()) {
      if (reference->inner) return leave(site, "its array is not declared as one");
      if (site.length != 1) return leave(site, "it fills a scalar with more than one number");
      site.elements = {name};
    } else if (entry->dimensions.size() != 1) {
      return leave(site, "its array has more than one dimension");
    } else if (reference->inner) {
      name_from_index(name, *reference->inner, site);
    } else {
      name_from_start(name, entry->dimensions[0], site);
    }
    for (const auto& element : site.elements)
      if (element.size() > longest_element) return leave(site, "the name of its element is too long");
    site.inlined = site.reason.empty();
  }

  void name_from_index(const std::string& name, const std::string& index, CallSite& site) const {
    for (int k = 0; k < site.length; ++k) {
      if (is_integer(index) && index.size() < 9) {
        site.elements.push_back(fmt::format("{}({})", name, std::stoi(index) + k));
      } else if (is_name(index) && index != name) {
        site.elements.push_back(k == 0 ? fmt::format("{}({})", name, index)
                                       : fmt::format("{}({}+{})", name, index, k));
      } else {
        return leave(site, "its index is no literal or plain name");
      }
    }
  }

  static void name_from_start(const std::string& name, const std::string& dimension, CallSite& site) {
    if (dimension.find(':') != std::string::npos && !dimension.starts_with("1:"))
      return leave(site, "its array does not begin at 1");
    if (is_integer(dimension) && dimension.size() < 9 && std::stoi(dimension) < site.length)
      return leave(site, "its array is declared shorter than the draw");
    for (int k = 1; k <= site.length; ++k) site.elements.push_back(fmt::format("{}({})", name, k));
  }

  const FixedFormSource& source_;
  const ProgramUnit& unit_;
  const HeaderBlocks& header_;
  const CallSiteRule& rule_;
  ArrayDeclarations own_;
  std::multimap<std::string, int> defines_;
  int place_ = -1;
  std::string reason_;
};

/// Arguments where the whole statement is the call; nullopt otherwise.
std::optional<std::string> whole_call(const std::string& text, const std::string& call) {
  if (!text.starts_with(call)) return std::nullopt;
  const auto open = call.size() - 1;
  const auto close = closing_parenthesis(text, open);
  if (close != text.size() - 1) return std::nullopt;
  return text.substr(open + 1, close - open - 1);
}

Block block_of(const RuleSet& rules, int first, int last, std::vector<std::string> lines) {
  return {rules.macro, rules.name, first, last, std::move(lines)};
}

}  // namespace

CallSiteChanges inline_call_sites(const FixedFormSource& source, const std::vector<ProgramUnit>& units,
                                  const HeaderBlocks& header, const CallSiteRule& rule, const RuleSet& rules,
                                  const std::string& file, bool do_inline) {
  CallSiteChanges changes;
  const std::string call = "CALL" + rule.routine + "(";
  const auto& items = source.items();
  std::size_t at = 0;
  for (const auto& unit : units) {
    const auto line_of = [&](const Item& item) {
      const auto index = static_cast<std::size_t>(item.index);
      return item.kind == Item::Kind::statement ? source.statements()[index].first
                                                : source.directives()[index].line;
    };
    while (at < items.size() && line_of(items[at]) < unit.begin_line) ++at;
    std::size_t end = at;
    std::vector<const Statement*> calls;
    while (end < items.size() && line_of(items[end]) <= unit.end_line) {
      if (items[end].kind == Item::Kind::statement) {
        const auto& s = source.statements()[static_cast<std::size_t>(items[end].index)];
        if (s.text.find(call) != std::string::npos) calls.push_back(&s);
      }
      ++end;
    }
    if (!calls.empty()) {
      const UnitSites sites(source, unit, {at, end}, header, rule);
      bool any = false;
      for (const auto* statement : calls) {
        CallSite site;
        site.unit = unit.name();
        site.file = file;
        site.line = statement->first + 1;
        const auto arguments = whole_call(statement->text, call);
        if (!do_inline) {
          site.reason = "--no-inline";
        } else if (!arguments) {
          site.reason = "it is part of another statement";
        } else {
          sites.settle(*statement, *arguments, site);
        }
        if (site.inlined) {
          any = true;
          std::vector<std::string> lines = {fmt::format("#define RNM_N {}", site.length),
                                            fmt::format("#define RNM_S {}", site.sequence)};
          for (std::size_t k = 0; k < site.elements.size(); ++k)
            lines.push_back(fmt::format("#define RNM_V{} {}", k + 1, site.elements[k]));
          lines.push_back(fmt::format("#include \"{}\"", rule.draw_include));
          changes.blocks.push_back(block_of(rules, statement->first, statement->last, std::move(lines)));
        }
        changes.sites.push_back(std::move(site));
      }
      if (any)
        changes.blocks.push_back(block_of(rules, sites.place() + 1, sites.place(),
                                          {fmt::format("#include \"{}\"", rule.common_include)}));
    }
    at = end;
  }
  return changes;
}

}  // namespace corsika_patches
