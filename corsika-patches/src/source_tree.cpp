// Reads a tree's files, finds in them what the rules name, and gathers the blocks that replace it. Writes
// nothing.
#include "corsika_patches/source_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "corsika_patches/body_digest.h"
#include "corsika_patches/statement_text.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

namespace fs = std::filesystem;

bool is_fortran(const std::string& name) { return !name.ends_with(".c"); }

bool is_replaced(const SourceFile& file, const ProgramUnit& unit) {
  return std::any_of(file.blocks.begin(), file.blocks.end(),
                     [&](const Block& b) { return b.first == unit.begin_line && b.last == unit.end_line; });
}

/// Whether a unit reads the generator's state at all: a routine of the same name need not.
bool uses_state(const FixedFormSource& source, const ProgramUnit& unit, const StateRule& state) {
  for (const auto& d : source.directives()) {
    if (d.line < unit.begin_line || d.line > unit.end_line || d.keyword != "define") continue;
    for (const auto& guard : state.guards)
      if (d.rest == guard || d.rest.starts_with(guard + " ")) return true;
  }
  for (int i = unit.first_statement; i <= unit.end_statement; ++i)
    for (const auto& common : state.commons)
      if (source.statements()[static_cast<std::size_t>(i)].text.find("/" + common + "/") != std::string::npos)
        return true;
  return false;
}

void recognise(const RoutineRule& rule, const SourceFile& file, const ProgramUnit& unit,
               const std::string& name, bool lenient, RoutineRecord& record) {
  const auto refuse = [&](const std::string& why) {
    throw support::Error(fmt::format("{}:{}: {} {}; restore its stock form, or add a rule", name,
                                     unit.begin_line + 1, unit.name(), why));
  };
  for (const auto& head : unit.heads)
    if (std::find(rule.names.begin(), rule.names.end(), head.name) == rule.names.end())
      refuse("has a further name, " + head.name);
  if (rule.kind == "function" || rule.kind == "vector" || rule.kind == "rmmard") {
    record.traits = recognise_ranmar(*file.source, unit, rule.kind, name);
    const auto allowed = [](const std::vector<std::string>& list, const std::string& value) {
      return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
    };
    if (!allowed(rule.results, record.traits.result))
      refuse("has a result of type " + record.traits.result + ", which its rule does not take");
    if (!allowed(rule.sequences, record.traits.sequence))
      refuse("uses sequence " + record.traits.sequence + ", which its rule does not take");
    return;
  }
  record.traits.kind = rule.kind;
  if (!unit.entries.empty()) refuse("has an ENTRY point");
  record.digest = body_digest(*file.source, unit, name);
  if (!lenient && std::find(rule.digests.begin(), rule.digests.end(), record.digest) == rule.digests.end())
    refuse("is in no shape that the rules know (digest " + record.digest.substr(0, 16) + ")");
  if (lenient && std::find(rule.digests.begin(), rule.digests.end(), record.digest) == rule.digests.end())
    record.reason = "no known shape";
}

/// The names of a routine as macros, under the conditionals that cut through its head.
std::vector<std::string> name_lines(const FixedFormSource& source, const ProgramUnit& unit) {
  std::vector<std::string> lines;
  const int last = source.statements()[static_cast<std::size_t>(unit.heads.back().statement)].last;
  // Directives of the conditionals that cut through the head, up to their #endif.
  int end = last;
  for (const auto& group : source.groups())
    if (group.open >= unit.begin_line && group.open <= last && group.close > end) end = group.close;
  for (const auto& item : source.items()) {
    if (item.kind == Item::Kind::directive) {
      const auto& d = source.directives()[static_cast<std::size_t>(item.index)];
      if (d.line < unit.begin_line || d.line > end) continue;
      if (d.keyword.starts_with("if") || d.keyword.starts_with("el") || d.keyword == "endif")
        lines.push_back("#" + d.keyword +
                        (d.rest.empty() || d.keyword == "else" || d.keyword == "endif" ? "" : " " + d.rest));
    } else {
      for (const auto& head : unit.heads)
        if (head.statement == item.index) lines.push_back("#define RNM_NAME " + head.name);
    }
  }
  return lines;
}

/// The lines that stand for a routine while the macro is defined: names and parameters as macros
/// (docs/how-it-works.md), then the include. Conditionals that cut through the head are repeated around
/// RNM_NAME.
std::vector<std::string> replacement_lines(const FixedFormSource& source, const ProgramUnit& unit,
                                           const RoutineRule& rule, const RanmarTraits& traits) {
  std::vector<std::string> lines;
  const bool function = rule.kind == "function";
  if (function || rule.kind == "vector") {
    lines = name_lines(source, unit);
    if (function) {
      std::string arguments;
      for (const auto& argument : unit.heads.front().arguments)
        arguments += (arguments.empty() ? "" : ",") + argument;
      lines.push_back(fmt::format("#define RNM_ARGS ({})", arguments));
      if (!traits.dummy.empty()) lines.push_back("#define RNM_DUMMY " + traits.dummy);
      lines.push_back("#define RNM_TYPE " + traits.result);
    }
    lines.push_back("#define RNM_SEQUENCE " + traits.sequence);
    // A routine that always uses lseq needs CONEX's declarations as well.
    lines.push_back(fmt::format("#define RNM_CONEX {}", traits.conex || traits.sequence == "lseq" ? 1 : 0));
    lines.push_back(fmt::format("#define RNM_LAST {}", traits.last ? 1 : 0));
    if (function) {
      lines.push_back(fmt::format("#define RNM_REJECT {}", traits.reject ? 1 : 0));
      lines.push_back(fmt::format("#define RNM_ZERO {}", traits.zero ? 1 : 0));
      for (std::size_t i = 0; i < traits.entries.size(); ++i)
        lines.push_back(fmt::format("#define RNM_ENTRY{} {}", i + 1, traits.entries[i]));
    }
  }
  lines.push_back(fmt::format("#include \"{}\"", rule.include));
  return lines;
}

/// A routine that CORSIKA must have, it has once: of two it would be the linker's choice which one is called.
void refuse_second(const RoutineRule& rule, const std::vector<RoutineRecord>& routines) {
  const RoutineRecord* first = nullptr;
  for (const auto& routine : routines) {
    if (routine.rule != rule.rule || routine.action != "replaced") continue;
    if (first != nullptr)
      throw support::Error(fmt::format("{}:{}: this is a second {}, beside {}:{}; take one of them out",
                                       routine.file, routine.line, routine.name, first->file, first->line));
    first = &routine;
  }
}

/// Values that a text gives to KSEQ, the number of sequences, with their lines counted from 1.
std::vector<std::pair<int, std::string>> values_of_kseq(const FixedFormSource& source) {
  std::vector<std::pair<int, std::string>> out;
  for (const auto& statement : source.statements()) {
    constexpr std::string_view begin = "PARAMETER(";
    const std::string_view text = statement.text;
    if (!text.starts_with(begin) || !text.ends_with(')')) continue;
    for (const auto& part : split_arguments(text.substr(begin.size(), text.size() - begin.size() - 1)))
      if (part.starts_with("KSEQ=")) out.emplace_back(statement.first + 1, part.substr(5));
  }
  return out;
}

}  // namespace

SourceTree::SourceTree(fs::path tree, std::vector<RuleSet> rules)
    : tree_(std::move(tree)), rules_(std::move(rules)) {
  for (const auto& file : target_files()) load(file);
}

std::set<std::string> SourceTree::target_files() const {
  std::set<std::string> files;
  for (const auto& rules : rules_) {
    for (const auto& routine : rules.routines) files.insert(routine.files.begin(), routine.files.end());
    if (rules.call_sites) files.insert(rules.call_sites->files.begin(), rules.call_sites->files.end());
    if (!rules.stage) continue;
    for (const auto& wrap : rules.stage->wraps) files.insert(wrap.file);
    for (const auto& wrap : rules.stage->files) files.insert(wrap.file);
  }
  return files;
}
void SourceTree::load(const std::string& name) {
  const auto path = tree_ / name;
  std::error_code code;
  if (!fs::is_regular_file(path, code)) {
    for (const auto& rules : rules_)
      for (const auto& routine : rules.routines)
        if (routine.required &&
            std::find(routine.files.begin(), routine.files.end(), name) != routine.files.end())
          throw support::Error(
              fmt::format("{} has no {}; give the unpacked CORSIKA tree", tree_.string(), name));
    return;
  }
  SourceFile file;
  file.text = TextFile(read_bytes(path));
  if (file.text.bytes().find("-overlay begin 1/") != std::string::npos)
    throw support::Error(fmt::format("{} is patched already; give the stock tree", path.string()));
  if (!is_fortran(name)) {
    files_.emplace(name, std::move(file));
    return;
  }
  file.source = std::make_unique<FixedFormSource>(file.text);
  if (file.source->unbalanced_line() >= 0)
    throw support::Error(fmt::format("{}:{}: this preprocessor conditional has no partner; mend the file",
                                     name, file.source->unbalanced_line() + 1));
  file.units = find_units(*file.source);
  files_.emplace(name, std::move(file));
}

std::vector<RoutineRecord> SourceTree::routines(bool lenient) {
  std::vector<RoutineRecord> out;
  for (const auto& rules : rules_) {
    if (!lenient) check_sequences(rules);
    for (const auto& rule : rules.routines) {
      bool found = false;
      for (const auto& name : rule.files)
        if (const auto it = files_.find(name); it != files_.end())
          found = read_units(rules, rule, name, it->second, lenient, out) || found;
      if (!found && rule.required && !lenient)
        throw support::Error(fmt::format(
            "{}: no {} that draws from the generator was found in {}; give a CORSIKA 7 tree that has one",
            tree_.string(), rule.names.front(), rule.files.front()));
      if (rule.required && !lenient) refuse_second(rule, out);
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.file != b.file ? a.file < b.file : a.line < b.line;
  });
  return out;
}

bool SourceTree::read_units(const RuleSet& rules, const RoutineRule& rule, const std::string& name,
                            SourceFile& file, bool lenient, std::vector<RoutineRecord>& out) {
  bool found = false;
  for (const auto& unit : file.units) {
    if (std::none_of(rule.names.begin(), rule.names.end(), [&](const auto& n) { return unit.has_name(n); }))
      continue;
    RoutineRecord record;
    for (const auto& head : unit.heads) record.name += (record.name.empty() ? "" : "/") + head.name;
    record.file = name;
    record.rule = rule.rule;
    record.kind = rule.kind;
    record.include = rule.include;
    record.line = unit.begin_line + 1;
    record.conditions = file.source->conditions(0, unit.frame);
    if (!uses_state(*file.source, unit, rules.state)) {
      record.action = "left alone";
      record.reason = "it does not use the generator's state";
      out.push_back(std::move(record));
      continue;
    }
    try {
      recognise(rule, file, unit, name, lenient, record);
      record.action = "replaced";
      file.blocks.push_back({rules.macro, rules.name, unit.begin_line, unit.end_line,
                             replacement_lines(*file.source, unit, rule, record.traits)});
      found = true;
    } catch (const support::Error& error) {
      if (!lenient) throw;
      record.action = "refused";
      record.reason = error.what();
    }
    out.push_back(std::move(record));
  }
  return found;
}

/// The number of sequences must be one that the library holds, and that all inlined draws fit in.
void SourceTree::check_sequences(const RuleSet& rules) const {
  std::error_code code;
  const auto path = tree_ / rules.state.header;
  if (rules.routines.empty() || !fs::is_regular_file(path, code)) return;
  const int fewest = rules.call_sites ? rules.call_sites->highest_sequence : 1;
  for (const auto& [line, value] : values_of_kseq(FixedFormSource(TextFile(read_bytes(path))))) {
    if (!is_integer(value)) continue;
    const long count = value.size() < 9 ? std::stol(value) : 999999999;
    if (count < fewest || count > rules.state.most_sequences)
      throw support::Error(
          fmt::format("{}:{}: KSEQ is {}; the generator takes {} to {} sequences: set KSEQ to one of these",
                      rules.state.header, line, value, fewest, rules.state.most_sequences));
  }
}

std::vector<CallSite> SourceTree::call_sites(bool do_inline) {
  std::vector<CallSite> out;
  for (const auto& rules : rules_) {
    if (!rules.call_sites) continue;
    const auto& rule = *rules.call_sites;
    HeaderBlocks header;
    std::error_code code;
    const auto header_path = tree_ / rules.state.header;
    if (fs::is_regular_file(header_path, code))
      header = header_blocks(FixedFormSource(TextFile(read_bytes(header_path))));
    for (const auto& name : rule.files) {
      const auto it = files_.find(name);
      if (it == files_.end()) continue;
      std::vector<ProgramUnit> units;
      for (const auto& unit : it->second.units)
        if (!is_replaced(it->second, unit)) units.push_back(unit);
      auto changes = inline_call_sites(*it->second.source, units, header, rule, rules, name, do_inline);
      std::move(changes.blocks.begin(), changes.blocks.end(), std::back_inserter(it->second.blocks));
      std::move(changes.sites.begin(), changes.sites.end(), std::back_inserter(out));
    }
  }
  return out;
}

std::vector<InsertionRecord> SourceTree::insertions(const std::set<std::string>& build) {
  std::map<std::string, StockFile> stock;
  for (const auto& [name, file] : files_) stock[name] = {&file.text, file.source.get(), &file.units};
  std::vector<InsertionRecord> out;
  for (const auto& rules : rules_) {
    if (!rules.stage) continue;
    std::unique_ptr<FixedFormSource> header;
    std::error_code code;
    if (const auto& name = rules.stage->header; fs::is_regular_file(tree_ / name, code)) {
      header = std::make_unique<FixedFormSource>(TextFile(read_bytes(tree_ / name)));
      stock[name] = {&header->text(), header.get(), nullptr};
    }
    auto planned = plan_insertions(rules, stock, build);
    for (auto& [name, blocks] : planned.blocks) {
      auto& all = files_.at(name).blocks;
      std::move(blocks.begin(), blocks.end(), std::back_inserter(all));
    }
    out.push_back({rules.name, std::move(planned)});
  }
  return out;
}

std::vector<SourceDigest> SourceTree::digests() const {
  for (const auto& rules : rules_)
    if (!rules.routines.empty()) return source_digests(tree_, rules.state);
  return {};
}

std::vector<LeftAlone> SourceTree::scan() const {
  std::vector<LeftAlone> out;
  for (const auto& rules : rules_) {
    if (rules.routines.empty()) continue;
    ReplacedLines replaced;
    for (const auto& [name, file] : files_)
      for (auto& lines = replaced[name]; const auto& block : file.blocks)
        if (block.rules == rules.name && block.last >= block.first)
          lines.emplace_back(block.first, block.last);
    for (auto& left : scan_tree(tree_, rules, replaced)) out.push_back(std::move(left));
  }
  return out;
}

}  // namespace corsika_patches
