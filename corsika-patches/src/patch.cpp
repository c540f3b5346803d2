#include "corsika_patches/patch.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "corsika_patches/body_digest.h"
#include "corsika_patches/edits.h"
#include "corsika_patches/file_transaction.h"
#include "corsika_patches/fixed_form.h"
#include "corsika_patches/header_blocks.h"
#include "corsika_patches/insertions.h"
#include "corsika_patches/manifest.h"
#include "corsika_patches/overlay_marks.h"
#include "corsika_patches/preprocess_check.h"
#include "corsika_patches/program_units.h"
#include "corsika_patches/release.h"
#include "corsika_patches/replacement.h"
#include "corsika_patches/sha256.h"
#include "corsika_patches/statement_text.h"
#include "corsika_patches/unified_diff.h"

namespace corsika_patches {
namespace {

namespace fs = std::filesystem;

/// One source file of the tree: what it is now, and what it is without our blocks.
struct SourceFile {
  std::string now;
  std::string stock;
  TextFile text;                            ///< stock
  std::unique_ptr<FixedFormSource> source;  ///< of Fortran
  std::vector<ProgramUnit> units;
  std::vector<Block> blocks;
};

fs::path checked_tree(const fs::path& tree) {
  std::error_code code;
  if (!fs::is_directory(tree, code))
    throw Error("{} is no folder; give the unpacked CORSIKA tree", tree.string());
  return fs::canonical(tree);
}

std::vector<RuleSet> load_all(const std::vector<fs::path>& paths) {
  std::vector<RuleSet> all;
  for (const auto& path : paths.empty() ? all_default_rules() : paths) all.push_back(load_rules(path));
  return all;
}

std::vector<std::string> conditions_of(const FixedFormSource& source, int branch) {
  std::vector<std::string> out;
  for (const int b : source.path(0, branch)) {
    const auto& c = source.branches()[static_cast<std::size_t>(b)];
    out.push_back(c.condition.empty() ? c.keyword : c.keyword + " " + c.condition);
  }
  return out;
}

/// The analysis of one tree under some rules. Touches nothing.
class Analysis {
 public:
  Analysis(fs::path tree, std::vector<RuleSet> rules) : tree_(std::move(tree)), rules_(std::move(rules)) {
    for (const auto& file : target_files()) load(file);
  }

  std::set<std::string> target_files() const {
    std::set<std::string> files;
    for (const auto& rules : rules_) {
      for (const auto& routine : rules.routines) files.insert(routine.files.begin(), routine.files.end());
      if (rules.call_sites) files.insert(rules.call_sites->files.begin(), rules.call_sites->files.end());
      for (const auto& insertion : rules.insertions) files.insert(insertion.file);
      for (const auto& known : rules.known) files.insert(known.file);
    }
    return files;
  }
  std::vector<fs::path> target_paths() const {
    std::vector<fs::path> out;
    for (const auto& file : target_files()) out.push_back(tree_ / file);
    return out;
  }
  std::map<std::string, SourceFile>& files() { return files_; }
  const std::vector<RuleSet>& rules() const { return rules_; }

  /// Finds and reads every routine that the rules name. With `lenient`, what would be refused becomes a
  /// reason.
  std::vector<RoutineRecord> routines(bool lenient) {
    std::vector<RoutineRecord> out;
    for (const auto& rules : rules_) {
      for (const auto& rule : rules.routines) {
        bool found = false;
        for (const auto& name : rule.files)
          if (const auto it = files_.find(name); it != files_.end())
            found = read_units(rules, rule, name, it->second, lenient, out) || found;
        if (!found && rule.required && !lenient)
          throw Error(
              "{}: no {} that draws from the generator was found in {}; give a CORSIKA 7 tree that has one",
              tree_.string(), rule.names.front(), rule.files.front());
      }
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
      return a.file != b.file ? a.file < b.file : a.line < b.line;
    });
    return out;
  }

  std::vector<CallSite> call_sites(bool do_inline) {
    std::vector<CallSite> out;
    for (const auto& rules : rules_) {
      if (!rules.call_sites) continue;
      const auto& rule = *rules.call_sites;
      HeaderBlocks header;
      std::error_code code;
      const auto header_path = tree_ / rules.state.header;
      if (fs::is_regular_file(header_path, code))
        header = HeaderBlocks(FixedFormSource(TextFile(read_bytes(header_path))));
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

  /// Lines that stand beside stock text; a rule set whose lines do not all fit is left out and says why.
  std::vector<StageRecord> insertions() {
    std::map<std::string, StockFile> stock;
    for (const auto& [name, file] : files_) stock[name] = {&file.text, file.source.get(), &file.units};
    std::vector<StageRecord> out;
    for (const auto& rules : rules_) {
      if (rules.insertions.empty()) continue;
      auto planned = plan_insertions(rules, stock);
      for (auto& [name, blocks] : planned.blocks) {
        auto& all = files_.at(name).blocks;
        std::move(blocks.begin(), blocks.end(), std::back_inserter(all));
      }
      out.push_back({rules.name, std::move(planned)});
    }
    return out;
  }

  std::vector<LeftAlone> scan() const {
    std::vector<LeftAlone> out;
    for (const auto& rules : rules_) {
      if (rules.routines.empty()) continue;
      std::map<std::string, ReplacedFile> replaced;
      for (const auto& [name, file] : files_) {
        auto& entry = replaced[name];
        entry.stock = file.stock;
        for (const auto& block : file.blocks)
          if (block.rules == rules.name && block.last >= block.first)
            entry.lines.emplace_back(block.first, block.last);
      }
      for (auto& left : scan_tree(tree_, rules, replaced)) out.push_back(std::move(left));
    }
    return out;
  }

 private:
  void load(const std::string& name) {
    const auto path = tree_ / name;
    std::error_code code;
    if (!fs::is_regular_file(path, code)) {
      for (const auto& rules : rules_)
        for (const auto& routine : rules.routines)
          if (routine.required &&
              std::find(routine.files.begin(), routine.files.end(), name) != routine.files.end())
            throw Error("{} has no {}; give the unpacked CORSIKA tree", tree_.string(), name);
      return;
    }
    SourceFile file;
    file.now = read_bytes(path);
    file.stock = has_marks(file.now) ? strip_marks(file.now, name) : file.now;
    file.text = TextFile(file.stock);
    if (!is_fortran(name)) {
      files_.emplace(name, std::move(file));
      return;
    }
    file.source = std::make_unique<FixedFormSource>(TextFile(file.stock));
    if (file.source->unbalanced_line() >= 0)
      throw Error("{}:{}: this preprocessor conditional has no partner; mend the file", name,
                  file.source->unbalanced_line() + 1);
    file.units = find_units(*file.source);
    files_.emplace(name, std::move(file));
  }

  static bool is_fortran(const std::string& name) { return !name.ends_with(".c"); }

  static bool is_replaced(const SourceFile& file, const ProgramUnit& unit) {
    return std::any_of(file.blocks.begin(), file.blocks.end(),
                       [&](const Block& b) { return b.first == unit.begin_line && b.last == unit.end_line; });
  }

  /// Whether a unit reads the generator's state at all: a routine of the same name need not.
  static bool uses_state(const FixedFormSource& source, const ProgramUnit& unit, const StateRule& state) {
    for (const auto& d : source.directives()) {
      if (d.line < unit.begin_line || d.line > unit.end_line || d.keyword != "define") continue;
      for (const auto& guard : state.guards)
        if (d.rest == guard || d.rest.starts_with(guard + " ")) return true;
    }
    for (int i = unit.first_statement; i <= unit.end_statement; ++i)
      for (const auto& common : state.commons)
        if (source.statements()[static_cast<std::size_t>(i)].text.find("/" + common + "/") !=
            std::string::npos)
          return true;
    return false;
  }

  bool read_units(const RuleSet& rules, const RoutineRule& rule, const std::string& name, SourceFile& file,
                  bool lenient, std::vector<RoutineRecord>& out) {
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
      record.conditions = conditions_of(*file.source, unit.frame);
      if (!uses_state(*file.source, unit, rules.state)) {
        record.action = "left alone";
        record.reason = "it does not use the generator's state";
        out.push_back(std::move(record));
        continue;
      }
      try {
        recognise(rule, file, unit, name, lenient, record);
        record.action = "replaced";
        file.blocks.push_back({rules.flag, rules.name, unit.begin_line, unit.end_line,
                               replacement_lines(*file.source, unit, rule, record.traits)});
        found = true;
      } catch (const Error& error) {
        if (!lenient) throw;
        record.action = "refused";
        record.reason = error.what();
      }
      out.push_back(std::move(record));
    }
    return found;
  }

  static void recognise(const RoutineRule& rule, const SourceFile& file, const ProgramUnit& unit,
                        const std::string& name, bool lenient, RoutineRecord& record) {
    const auto refuse = [&](const std::string& why) {
      throw Error("{}:{}: {} {}; restore its stock form, or add a rule", name, unit.begin_line + 1,
                  unit.name(), why);
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
    if (!lenient && std::find(rule.shapes.begin(), rule.shapes.end(), record.digest) == rule.shapes.end())
      refuse("is in no shape that the rules know (digest " + record.digest.substr(0, 16) + ")");
    if (lenient && std::find(rule.shapes.begin(), rule.shapes.end(), record.digest) == rule.shapes.end())
      record.reason = "no known shape";
  }

  fs::path tree_;
  std::vector<RuleSet> rules_;
  std::map<std::string, SourceFile> files_;
};

/// Finishes or reports an interrupted patch.
bool settle_interrupted(const fs::path& tree, const std::vector<RuleSet>& rules, bool dry_run) {
  if (dry_run) {
    if (FileTransaction::interrupted(tree))
      throw Error("{}: a patch was interrupted here; run apply or reverse to finish it", tree.string());
    return false;
  }
  std::set<std::string> files;
  for (const auto& set : rules) {
    for (const auto& routine : set.routines) files.insert(routine.files.begin(), routine.files.end());
    for (const auto& insertion : set.insertions) files.insert(insertion.file);
  }
  std::vector<fs::path> paths;
  paths.reserve(files.size());
  for (const auto& file : files) paths.push_back(tree / file);
  return FileTransaction::recover(tree, paths);
}

}  // namespace

PatchResult patch_tree(const PatchOptions& options) {
  const auto tree = checked_tree(options.tree);
  const auto rules = load_all(options.rules);
  const TreeLock lock(tree);
  PatchResult result;
  result.recovered = settle_interrupted(tree, rules, options.dry_run);
  const auto release = read_release(tree);
  result.release = release.name;
  if (release.name.empty())
    result.notes.push_back("the tree does not say its release; its routines have the right shape");
  Analysis analysis(tree, rules);
  result.routines = analysis.routines(false);
  result.sites = analysis.call_sites(options.inline_sites);
  result.stages = analysis.insertions();
  result.left_alone = analysis.scan();

  FileTransaction transaction(tree);
  bool changed = false;
  for (auto& [name, file] : analysis.files()) {
    const auto after =
        file.blocks.empty() ? file.stock : apply_blocks(TextFile(file.stock), file.blocks, name);
    if (after != file.now) {
      changed = true;
      result.diff += unified_diff(file.now, after, name);
      if (!options.dry_run) transaction.stage(tree / name, after);
    }
    if (after != file.stock) result.files.push_back({name, sha256(file.stock), sha256(after)});
  }
  result.outcome = changed ? PatchResult::Outcome::patched : PatchResult::Outcome::already_patched;
  if (!options.dry_run) {
    if (options.manifest) transaction.stage(fs::absolute(*options.manifest), manifest_json(result));
    if (changed || options.manifest) transaction.commit();
  }
  return result;
}

PatchResult reverse_tree(const PatchOptions& options) {
  const auto tree = checked_tree(options.tree);
  const auto rules = load_all(options.rules);
  const TreeLock lock(tree);
  PatchResult result;
  result.recovered = settle_interrupted(tree, rules, options.dry_run);
  Analysis analysis(tree, rules);
  FileTransaction transaction(tree);
  bool changed = false;
  for (const auto& [name, file] : analysis.files()) {
    if (file.now == file.stock) continue;
    changed = true;
    result.diff += unified_diff(file.now, file.stock, name);
    result.files.push_back({name, sha256(file.now), sha256(file.stock)});
    if (!options.dry_run) transaction.stage(tree / name, file.stock);
  }
  result.outcome = changed ? PatchResult::Outcome::reversed : PatchResult::Outcome::not_patched;
  if (!options.dry_run && changed) transaction.commit();
  return result;
}

std::vector<RoutineRecord> read_traits(const PatchOptions& options) {
  Analysis analysis(checked_tree(options.tree), load_all(options.rules));
  return analysis.routines(true);
}

std::vector<StageRecord> read_stages(const PatchOptions& options) {
  return Analysis(checked_tree(options.tree), load_all(options.rules)).insertions();
}

ExtractedUnit extract_unit(const fs::path& tree, const std::string& name, int occurrence) {
  Analysis analysis(checked_tree(tree), load_all({}));
  const auto records = analysis.routines(true);
  int seen = 0;
  for (const auto& [path, file] : analysis.files()) {
    for (const auto& unit : file.units) {
      if (!unit.has_name(upper(name)) || seen++ != occurrence) continue;
      ExtractedUnit out;
      out.text = file.source->text().range(unit.begin_line, unit.end_line);
      out.file = path;
      out.line = unit.begin_line + 1;
      out.conditions = conditions_of(*file.source, unit.frame);
      for (const auto& record : records)
        if (record.file == path && record.line == out.line) {
          out.kind = record.kind;
          out.traits = record.traits;
        }
      return out;
    }
  }
  throw Error("{} has {} routines {}; there is no number {} (counted from 0)", tree.string(), seen, name,
              occurrence);
}

int verify_off(const fs::path& stock, const fs::path& patched, const std::vector<fs::path>& rules) {
  const auto stock_tree = checked_tree(stock);
  const auto patched_tree = checked_tree(patched);
  Analysis analysis(stock_tree, load_all(rules));
  analysis.routines(false);
  analysis.call_sites(true);
  analysis.insertions();
  int combinations = 0;
  for (const auto& [name, file] : analysis.files()) {
    if (file.source != nullptr) {
      combinations += compare_preprocessed(stock_tree / name, patched_tree / name, *file.source, file.blocks);
    } else if (const auto patched = read_bytes(patched_tree / name); !file.blocks.empty()) {
      // Ours stands after everything else, so with the flag off nothing but empty lines can follow.
      ++combinations;
      if (strip_marks(patched, name) != read_bytes(stock_tree / name))
        throw Error("{}: without our lines it is not the stock text; reverse and patch again", name);
    }
  }
  return combinations;
}

}  // namespace corsika_patches
