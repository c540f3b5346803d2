// The text that a digest is taken of: declarations that matter, statements in an agreed order, locals by
// number.
#include "corsika_patches/body_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "corsika_patches/statement_text.h"
#include "corsika_patches/statement_tree.h"
#include "support/checksum.hpp"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

class Digest {
 public:
  Digest(const FixedFormSource& source, const ProgramUnit& unit, const std::string& file)
      : source_(source), unit_(unit), file_(file) {}

  std::string text() {
    if (!unit_.irregular.empty())
      throw support::Error(fmt::format("{}:{}: {} cannot be replaced: {}; restore its stock form", file_,
                                       unit_.begin_line + 1, unit_.name(), unit_.irregular));
    if (unit_.split_head) refuse(unit_.begin_line, "a directive cuts through its head");
    const auto& head = unit_.heads.front();
    for (std::size_t i = 0; i < head.arguments.size(); ++i)
      renamed_[head.arguments[i]] = "@" + std::to_string(i + 1);
    for (const auto& h : unit_.heads) renamed_[h.name] = "@0";
    read_items();
    auto body = nest_statements(items_, [&](int line) { refuse(line, "its blocks do not nest"); });
    sort(body);
    std::string out = head.kind + " " + head.type + " " + std::to_string(head.arguments.size()) + "\n";
    std::string code;
    print(body, code, 0);
    for (std::size_t i = 0; i < head.arguments.size(); ++i)
      out += "@" + std::to_string(i + 1) + " " + type(head.arguments[i]) + "\n";
    for (const auto& [name, number] : locals_) order_.emplace_back(number, name);
    std::sort(order_.begin(), order_.end());
    for (const auto& [number, name] : order_) out += "%" + std::to_string(number) + " " + type(name) + "\n";
    std::vector<std::string> facts;
    for (const auto& [group, value] : data_)
      if (matters(group)) facts.push_back("DATA " + rename(group) + "/" + value + "/\n");
    for (const auto& common : commons_)
      if (mentions_used(common)) facts.push_back(rename(common) + "\n");
    std::sort(facts.begin(), facts.end());
    for (const auto& fact : facts) out += fact;
    return out + code;
  }

 private:
  [[noreturn]] void refuse(int line, const std::string& why) const {
    throw support::Error(fmt::format(
        "{}:{}: {} is not in a shape that the rules know: {}; restore its stock form, or add a rule", file_,
        line + 1, unit_.name(), why));
  }

  /// Splits the unit into declarations (facts) and a list of statements and conditionals.
  void read_items() {
    const auto& statements = source_.statements();
    const int first = statements[static_cast<std::size_t>(unit_.heads.back().statement)].last;
    const int last = statements[static_cast<std::size_t>(unit_.end_statement)].first;
    bool executing = false;
    std::vector<CodeLine> all;
    for (const auto& item : source_.items()) {
      if (item.kind == Item::Kind::directive) {
        const auto& d = source_.directives()[static_cast<std::size_t>(item.index)];
        if (d.line <= first || d.line >= last) continue;
        if (d.keyword == "include" || d.keyword == "define" || d.keyword == "undef") continue;
        all.push_back({d.keyword + " " + d.rest, true, "", d.line});
      } else {
        const auto& s = statements[static_cast<std::size_t>(item.index)];
        if (s.first <= first || s.first >= last) continue;
        if (s.split) refuse(s.first, "a directive cuts through a statement");
        if (!executing && is_specification(s.text)) {
          declaration(s);
          continue;
        }
        if (is_specification(s.text)) refuse(s.first, "a declaration stands among its statements");
        executing = true;
        all.push_back({s.text, false, s.label, s.first});
      }
    }
    // The closing branch of the head's own conditional belongs to the head.
    for (auto& line : all) items_.push_back(std::move(line));
    drop_empty_conditionals();
  }

  /// Conditionals that hold no statement (only declarations and defines did) say nothing here.
  void drop_empty_conditionals() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < items_.size(); ++i) {
        if (!items_[i].cpp || !items_[i].text.starts_with("if")) continue;
        std::size_t j = i + 1;
        while (j < items_.size() && items_[j].cpp && (items_[j].text.starts_with("el"))) ++j;
        if (j < items_.size() && items_[j].cpp && items_[j].text.starts_with("endif")) {
          items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i),
                       items_.begin() + static_cast<std::ptrdiff_t>(j) + 1);
          changed = true;
          break;
        }
      }
    }
  }

  void declaration(const Statement& s) {
    const auto& t = s.text;
    if (t.starts_with("DATA")) {
      read_data(t.substr(4));
      return;
    }
    if (t.starts_with("COMMON")) {
      if (!t.starts_with("COMMON/CRRANMA")) commons_.push_back(t);
      return;
    }
    if (t.starts_with("PARAMETER")) {
      commons_.push_back(t);
      return;
    }
    for (const std::string_view type :
         {"DOUBLEPRECISION", "INTEGER", "REAL", "LOGICAL", "CHARACTER", "DIMENSION"}) {
      if (!t.starts_with(type)) continue;
      std::string_view rest = std::string_view(t).substr(type.size());
      std::string base = std::string(type) + std::string(take_length(rest));
      if (rest.starts_with("::")) rest.remove_prefix(2);
      if (base == "REAL*8") base = "DOUBLEPRECISION";
      if (base == "INTEGER*4") base = "INTEGER";
      for (const auto& part : split_arguments(rest)) {
        const auto end = part.find_first_of("(*");
        const std::string name = part.substr(0, end);
        if (type != "DIMENSION") types_[name] = base;
        if (end != std::string::npos) shapes_[name] = part.substr(end);
      }
      return;
    }
  }

  void read_data(std::string_view text) {
    while (!text.empty()) {
      if (text.front() == ',') text.remove_prefix(1);
      const auto open = text.find('/');
      const auto close = open == std::string_view::npos ? open : text.find('/', open + 1);
      if (close == std::string_view::npos) return;
      data_.emplace_back(std::string(text.substr(0, open)),
                         std::string(text.substr(open + 1, close - open - 1)));
      text.remove_prefix(close + 1);
    }
  }

  std::string type(const std::string& name) const {
    std::string out = types_.contains(name) ? types_.at(name) : "";
    if (shapes_.contains(name)) out += shapes_.at(name);
    return out;
  }

  /// DATA on variables that nothing uses says nothing.
  bool matters(const std::string& group) const {
    for (const auto& name : identifiers(group))
      if (!is_local(name) || locals_.contains(name)) return true;
    return false;
  }

  bool mentions_used(const std::string& common) const {
    for (const auto& name : identifiers(common))
      if (locals_.contains(name)) return true;
    return false;
  }

  // --- order, names, print
  // ------------------------------------------------------------------------------------

  /// The generator's state keeps its names, wherever it is declared.
  bool is_local(const std::string& name) const {
    static const std::set<std::string> state = {"U",     "C",    "I97",    "J97",    "NTOT",
                                                "NTOT2", "IJKL", "JSEQ",   "CD",     "CM",
                                                "CINT",  "KSEQ", "MODCNS", "TWOM24", "TWOM48"};
    return types_.contains(name) && !renamed_.contains(name) && !state.contains(name);
  }

  std::string neutral(const std::string& text) const {
    return replace(text, [&](const std::string& name) {
      if (const auto it = renamed_.find(name); it != renamed_.end()) return it->second;
      return is_local(name) ? std::string("%") : name;
    });
  }

  template <typename Map>
  static std::string replace(const std::string& text, Map&& map) {
    std::string out;
    std::size_t at = 0;
    for (const auto& name : identifiers(text)) {
      const auto found = find_outside_quotes(text, name, at);
      out += text.substr(at, found - at) + map(name);
      at = found + name.size();
    }
    return out + text.substr(at);
  }

  static std::size_t find_outside_quotes(const std::string& text, const std::string& name, std::size_t from) {
    char quote = 0;
    for (std::size_t i = from; i < text.size(); ++i) {
      if (quote != 0) {
        if (text[i] == quote) quote = 0;
      } else if (text[i] == '\'' || text[i] == '"') {
        quote = text[i];
      } else if (text.compare(i, name.size(), name) == 0 &&
                 (i == from || !is_name(std::string(1, text[i - 1])))) {
        return i;
      }
    }
    return text.size();
  }

  std::string key(const StatementNode& node) const {
    if (node.branches.empty()) return neutral(node.text);
    std::string out;
    for (const auto& branch : node.branches) {
      out += neutral(branch.head) + "{";
      for (const auto& inner : branch.body) out += key(inner) + ";";
      out += "}";
    }
    return out;
  }

  /// Puts statements into one agreed order among those that compute the same.
  void sort(std::vector<StatementNode>& nodes) const {
    for (auto& node : nodes)
      for (auto& branch : node.branches) sort(branch.body);
    std::vector<std::pair<std::string, std::size_t>> keys;
    for (std::size_t i = 0; i < nodes.size(); ++i) keys.emplace_back(key(nodes[i]), i);
    std::vector<bool> placed(nodes.size(), false);
    std::vector<StatementNode> sorted;
    while (sorted.size() < nodes.size()) {
      std::size_t best = nodes.size();
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (placed[i]) continue;
        bool ready = true;
        for (std::size_t j = 0; j < i && ready; ++j)
          if (!placed[j] && conflict(nodes[j], nodes[i])) ready = false;
        if (ready && (best == nodes.size() || keys[i] < keys[best])) best = i;
      }
      placed[best] = true;
      sorted.push_back(nodes[best]);
    }
    nodes = std::move(sorted);
  }

  std::string rename(const std::string& text) {
    return replace(text, [&](const std::string& name) {
      if (const auto it = renamed_.find(name); it != renamed_.end()) return it->second;
      if (!is_local(name)) return name;
      const auto it = locals_.emplace(name, static_cast<int>(locals_.size()) + 1).first;
      return "%" + std::to_string(it->second);
    });
  }

  void print(const std::vector<StatementNode>& nodes, std::string& out, std::size_t depth) {
    for (const auto& node : nodes) {
      if (node.branches.empty()) {
        out += std::string(depth, ' ') + rename(node.text) + "\n";
        continue;
      }
      for (const auto& branch : node.branches) {
        out += std::string(depth, ' ') + rename(branch.head) + "\n";
        print(branch.body, out, depth + 1);
      }
      out += std::string(depth, ' ') + "END\n";
    }
  }

  const FixedFormSource& source_;
  const ProgramUnit& unit_;
  const std::string file_;
  std::vector<CodeLine> items_;
  std::map<std::string, std::string> types_, shapes_, renamed_;
  std::vector<std::pair<std::string, std::string>> data_;
  std::vector<std::string> commons_;
  std::map<std::string, int> locals_;
  std::vector<std::pair<int, std::string>> order_;
};

}  // namespace

std::string digest_text(const FixedFormSource& source, const ProgramUnit& unit, const std::string& file) {
  return Digest(source, unit, file).text();
}

std::string body_digest(const FixedFormSource& source, const ProgramUnit& unit, const std::string& file) {
  return support::sha256_of_text(digest_text(source, unit, file));
}

}  // namespace corsika_patches
