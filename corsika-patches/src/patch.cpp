// Plans a patch, writes the patched copy, prints the patch as a diff, reads traits.
#include "corsika_patches/patch.h"

#include <fmt/format.h>

#include <set>
#include <system_error>
#include <utility>

#include "corsika_patches/edits.h"
#include "corsika_patches/release.h"
#include "corsika_patches/source_tree.h"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace corsika_patches {
namespace {

namespace fs = std::filesystem;

SourceTree read_tree(const PatchOptions& options) {
  std::error_code code;
  if (!fs::is_directory(options.tree, code))
    throw support::Error(
        fmt::format("{} is no folder; give the unpacked CORSIKA tree", options.tree.string()));
  std::vector<RuleSet> rules;
  for (const auto& path : options.rules.empty() ? all_default_rules() : options.rules)
    rules.push_back(load_rules(path));
  return {fs::canonical(options.tree), std::move(rules)};
}

std::set<std::string> macros_of_build(const PatchOptions& options) {
  std::set<std::string> macros;
  for (const auto& name : options.build) macros.insert(name.starts_with("__") ? name : "__" + name + "__");
  return macros;
}

/// Whether what stands at `path`, all links resolved, is `folder` or lies in it.
bool lies_in(const fs::path& path, const fs::path& folder) {
  const auto below = fs::canonical(path).lexically_relative(fs::canonical(folder));
  return !below.empty() && *below.begin() != "..";
}

void run(const std::vector<std::string>& argv) {
  if (const auto result = support::run({.argv = argv}); result.status != 0)
    throw support::Error(fmt::format("{} failed: {}", argv.front(), result.output));
}

/// Puts a patched file in the place of the copy's. Refuses one behind a link out of the copy.
void replace_file(const fs::path& copy, const FileRecord& file) {
  const auto path = fs::canonical(copy / file.path);
  if (!lies_in(path, copy))
    throw support::Error(fmt::format(
        "{} leads out of the tree through a symbolic link; give a tree that holds it itself", file.path));
  const auto mode = fs::status(path).permissions();
  support::write_file(path, file.text);
  fs::permissions(path, mode);
}

}  // namespace

PatchResult plan_patch(const PatchOptions& options) {
  auto source = read_tree(options);
  PatchResult result;
  result.release = read_release(options.tree);
  if (result.release.empty())
    result.notes.push_back("the tree does not say its release; its routines have the right shape");
  result.routines = source.routines(false);
  result.sites = source.call_sites(options.inline_sites);
  result.stages = source.insertions(macros_of_build(options));
  result.left_alone = source.scan();
  result.sources = source.digests();
  for (auto& [name, file] : source.files()) {
    if (file.blocks.empty()) continue;
    auto after = apply_blocks(file.text, file.blocks, name);
    result.files.push_back(
        {name, support::sha256_of_text(file.text.bytes()), support::sha256_of_text(after), std::move(after)});
  }
  return result;
}

void write_patched(const PatchResult& result, const fs::path& tree, const fs::path& out,
                   const fs::path& manifest) {
  for (const auto& made : {out, manifest})
    if (fs::exists(fs::symlink_status(made)))
      throw support::Error(
          fmt::format("{} is there already; delete it, or give another name", made.string()));
  auto place = fs::absolute(out).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  if (fs::is_directory(place.parent_path()) && lies_in(place.parent_path(), tree))
    throw support::Error(fmt::format("{} lies in the tree; give a folder outside of it", out.string()));
  const support::TemporaryFolder work(place.parent_path(), "corsika-patch");
  const auto copy = work.path() / "tree";
  run({"cp", "--archive", "--", fs::canonical(tree).string(), copy.string()});
  run({"chmod", "-R", "u+rwX", "--", copy.string()});  // unpacked archives may be read-only
  for (const auto& file : result.files) replace_file(copy, file);
  if (!manifest.empty()) support::write_file(manifest, manifest_json(result));
  std::error_code error;
  fs::rename(copy, place, error);
  if (error) throw support::Error(fmt::format("cannot write {} ({})", out.string(), error.message()));
}

std::string unified_diff(const PatchResult& result, const fs::path& tree) {
  std::string out;
  for (const auto& file : result.files) {
    const auto diff = support::run({.argv = {"diff", "-u", "--label", "a/" + file.path, "--label",
                                             "b/" + file.path, (tree / file.path).string(), "-"},
                                    .input = file.text});
    if (diff.status != 1) throw support::Error("diff failed: " + diff.output);
    out += diff.output;
  }
  return out;
}

std::vector<RoutineRecord> read_traits(const PatchOptions& options) {
  return read_tree(options).routines(true);
}

std::vector<InsertionRecord> read_insertions(const PatchOptions& options) {
  return read_tree(options).insertions(macros_of_build(options));
}

}  // namespace corsika_patches
