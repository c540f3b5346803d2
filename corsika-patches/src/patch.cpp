// Patching, reversing, reading traits, cutting out routines and checking with the macro off: the patcher's
// functions.
#include "corsika_patches/patch.h"

#include <fmt/format.h>

#include <set>
#include <system_error>
#include <utility>

#include "corsika_patches/edits.h"
#include "corsika_patches/file_transaction.h"
#include "corsika_patches/manifest.h"
#include "corsika_patches/overlay_marks.h"
#include "corsika_patches/preprocess_check.h"
#include "corsika_patches/release.h"
#include "corsika_patches/source_tree.h"
#include "corsika_patches/statement_text.h"
#include "corsika_patches/tree_lock.h"
#include "corsika_patches/unified_diff.h"
#include "support/checksum.hpp"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

namespace fs = std::filesystem;

fs::path checked_tree(const fs::path& tree) {
  std::error_code code;
  if (!fs::is_directory(tree, code))
    throw support::Error(fmt::format("{} is no folder; give the unpacked CORSIKA tree", tree.string()));
  return fs::canonical(tree);
}

std::vector<RuleSet> load_all(const std::vector<fs::path>& paths) {
  std::vector<RuleSet> all;
  for (const auto& path : paths.empty() ? all_default_rules() : paths) all.push_back(load_rules(path));
  return all;
}

std::set<std::string> macros_of_build(const PatchOptions& options) {
  std::set<std::string> macros;
  for (const auto& name : options.build) macros.insert(name.starts_with("__") ? name : "__" + name + "__");
  return macros;
}

/// Finishes or reports an interrupted patch.
bool settle_interrupted(const fs::path& tree, bool dry_run) {
  if (!dry_run) return FileTransaction::recover(tree);
  if (FileTransaction::interrupted(tree))
    throw support::Error(
        fmt::format("{}: a patch was interrupted here; run apply or reverse to finish it", tree.string()));
  return false;
}

/// What stands where the manifest goes; Error where that is not a manifest of ours.
std::optional<std::string> old_manifest(const fs::path& path) {
  std::error_code code;
  const auto status = fs::symlink_status(path, code);
  if (path.filename().empty() || fs::is_directory(status))
    throw support::Error(fmt::format("{} is a folder; give --manifest a file in it", path.string()));
  if (!fs::exists(status)) return std::nullopt;
  if (fs::is_regular_file(status))
    if (auto text = read_bytes(path); text.empty() || text.starts_with("{\n  \"release\": ")) return text;
  throw support::Error(fmt::format(
      "{} is there and is no manifest of this program; give --manifest another name", path.string()));
}

}  // namespace

PatchResult patch_tree(const PatchOptions& options) {
  const auto tree = checked_tree(options.tree);
  const auto rules = load_all(options.rules);
  const TreeLock lock(tree);
  PatchResult result;
  result.recovered = settle_interrupted(tree, options.dry_run);
  const auto release = read_release(tree);
  result.release = release.name;
  if (release.name.empty())
    result.notes.push_back("the tree does not say its release; its routines have the right shape");
  SourceTree source(tree, rules);
  result.routines = source.routines(false);
  result.sites = source.call_sites(options.inline_sites);
  result.stages = source.insertions(macros_of_build(options));
  result.left_alone = source.scan();
  result.sources = source.digests();

  FileTransaction transaction(tree);
  bool changed = false;
  for (auto& [name, file] : source.files()) {
    const auto after =
        file.blocks.empty() ? file.stock : apply_blocks(TextFile(file.stock), file.blocks, name);
    if (after != file.now) {
      changed = true;
      result.diff += unified_diff(file.now, after, name);
      transaction.stage(tree / name, after, file.now);
    }
    if (after != file.stock)
      result.files.push_back({name, support::sha256_of_text(file.stock), support::sha256_of_text(after)});
  }
  result.outcome = changed ? PatchResult::Outcome::patched : PatchResult::Outcome::already_patched;
  if (!options.dry_run) {
    if (options.manifest) {
      const auto path = fs::absolute(*options.manifest).lexically_normal();
      transaction.stage(path, manifest_json(result), old_manifest(path));
    }
    transaction.commit();
  }
  return result;
}

PatchResult reverse_tree(const PatchOptions& options) {
  const auto tree = checked_tree(options.tree);
  const auto rules = load_all(options.rules);
  const TreeLock lock(tree);
  PatchResult result;
  result.recovered = settle_interrupted(tree, options.dry_run);
  SourceTree source(tree, rules);
  FileTransaction transaction(tree);
  bool changed = false;
  for (const auto& [name, file] : source.files()) {
    if (file.now == file.stock) continue;
    changed = true;
    result.diff += unified_diff(file.now, file.stock, name);
    result.files.push_back({name, support::sha256_of_text(file.now), support::sha256_of_text(file.stock)});
    transaction.stage(tree / name, file.stock, file.now);
  }
  result.outcome = changed ? PatchResult::Outcome::reversed : PatchResult::Outcome::not_patched;
  if (!options.dry_run) transaction.commit();
  return result;
}

std::vector<RoutineRecord> read_traits(const PatchOptions& options) {
  SourceTree source(checked_tree(options.tree), load_all(options.rules));
  return source.routines(true);
}

std::vector<InsertionRecord> read_insertions(const PatchOptions& options) {
  return SourceTree(checked_tree(options.tree), load_all(options.rules)).insertions(macros_of_build(options));
}

ExtractedUnit extract_unit(const fs::path& tree, const std::string& name, int occurrence) {
  SourceTree source(checked_tree(tree), load_all({}));
  const auto records = source.routines(true);
  int seen = 0;
  for (const auto& [path, file] : source.files()) {
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
  throw support::Error(fmt::format("{} has {} routines {}; there is no number {} (counted from 0)",
                                   tree.string(), seen, name, occurrence));
}

int verify_off(const fs::path& stock, const fs::path& patched, const std::vector<fs::path>& rules) {
  const auto stock_tree = checked_tree(stock);
  const auto patched_tree = checked_tree(patched);
  SourceTree source(stock_tree, load_all(rules));
  source.routines(false);
  source.call_sites(true);
  source.insertions({});
  int combinations = 0;
  for (const auto& [name, file] : source.files()) {
    if (file.source != nullptr) {
      combinations += compare_preprocessed(stock_tree / name, patched_tree / name, *file.source, file.blocks);
    } else if (const auto patched = read_bytes(patched_tree / name); !file.blocks.empty()) {
      // All of ours stands under the macro: with the macro off nothing is left of it but empty lines.
      ++combinations;
      if (strip_marks(patched, name) != read_bytes(stock_tree / name))
        throw support::Error(
            fmt::format("{}: without our lines it is not the stock text; reverse and patch again", name));
    }
  }
  return combinations;
}

}  // namespace corsika_patches
