// Finds calls of the generator and writes the blocks that draw in place. Works on texts alone.
#include "corsika-patches/call_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "corsika-patches/statement_text.h"

namespace corsika_patches {
namespace {

constexpr std::size_t longest_element = 30;  // so that lines of the include stay within 72 columns

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

  /// Settles one call; fills elements or the reason.
  void settle(const Statement& statement, const std::string& arguments, CallSite& site) const {
    const auto parts = split_arguments(arguments);
    if (parts.size() != 3) return leave(site, "it has not three arguments");
    if (!is_integer(parts[1]) || parts[1].size() > 4) return leave(site, "its length is no literal");
    site.length = std::stoi(parts[1]);
    if (site.length < 1 || site.length > rule_.number("longest"))
      return leave(site, fmt::format("its length is not 1 to {}", rule_.number("longest")));
    if (!is_integer(parts[2]) || parts[2].size() > 4) return leave(site, "its sequence is no literal");
    site.sequence = std::stoi(parts[2]);
    if (site.sequence < 1 || site.sequence > rule_.number("highest_sequence"))
      return leave(site, fmt::format("its sequence is not 1 to {}", rule_.number("highest_sequence")));
    const auto light = rule_.list("light_routines");
    if (site.sequence == rule_.number("light_sequence") &&
        std::none_of(light.begin(), light.end(), [&](const auto& name) { return unit_.has_name(name); }))
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

  void name_elements(const Statement& statement, const std::string& target, CallSite& site) const {
    const auto reference = parse_reference(target);
    if (!reference) return leave(site, "its array is no plain name or element");
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
  const Rule& rule_;
  const Declarations own_;
  std::multimap<std::string, int> defines_;
  int place_ = -1;
  std::string reason_;
};

}  // namespace

CallSiteChanges inline_call_sites(const FixedFormSource& source, const std::vector<ProgramUnit>& units,
                                  const HeaderBlocks& header, const RuleSet& rules, bool do_inline) {
  CallSiteChanges changes;
  const auto add = [&](int first, int last, std::vector<std::string> lines) {
    changes.blocks.push_back({rules.macro, rules.name, first, last, std::move(lines)});
  };
  const auto rule = rules.rules.table("call_sites");
  const auto call = "CALL" + rule.text("routine");
  for (const auto& unit : units) {
    std::optional<UnitSites> sites;
    bool any = false;
    for (int i = unit.first_statement; i <= unit.end_statement; ++i) {
      const auto& statement = source.statement(i);
      if (statement.text.find(call + "(") == std::string::npos) continue;
      if (!sites) sites.emplace(source, unit, header, rule);
      CallSite site;
      site.unit = unit.name();
      site.line = statement.first + 1;
      const auto whole = parse_reference(statement.text);
      if (!do_inline) {
        site.reason = "--no-inline";
      } else if (!whole || whole->name != call) {
        site.reason = "it is part of another statement";
      } else {
        sites->settle(statement, whole->inner.value_or(""), site);
      }
      if (site.inlined) {
        any = true;
        std::vector<std::string> lines = {fmt::format("#define RNM_N {}", site.length),
                                          fmt::format("#define RNM_S {}", site.sequence)};
        for (std::size_t k = 0; k < site.elements.size(); ++k)
          lines.push_back(fmt::format("#define RNM_V{} {}", k + 1, site.elements[k]));
        lines.push_back(fmt::format("#include \"{}\"", rule.text("draw_include")));
        add(statement.first, statement.last, std::move(lines));
      }
      changes.sites.push_back(std::move(site));
    }
    if (any)
      add(sites->place() + 1, sites->place(), {fmt::format("#include \"{}\"", rule.text("common_include"))});
  }
  return changes;
}

}  // namespace corsika_patches
