// Plans a patch, writes the patched copy, prints the patch as a diff.
#include "corsika-patches/patch.h"

#include <fmt/format.h>

#include <set>
#include <system_error>
#include <utility>

#include "corsika-patches/stage.h"
#include "corsika-patches/statement_text.h"
#include "corsika-patches/tree.h"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace corsika_patches {
namespace {

namespace fs = std::filesystem;

/// One tree under some rules: blocks gather in its files, and what was done in the manifest.
class Plan {
 public:
  explicit Plan(const PatchOptions& options) : options_(options) {
    std::error_code code;
    if (!fs::is_directory(options.tree, code))
      throw support::Error(
          fmt::format("{} is no folder; give the unpacked CORSIKA tree", options.tree.string()));
    tree_ = fs::canonical(options.tree);
    for (const auto& path : options.rules.empty() ? all_default_rules() : options.rules)
      rules_.push_back(load_rules(path));
    for (const auto& set : rules_) {
      const auto file = set.rules.text("file");  // the generator's
      load(file);
      if (!set.stage && !files_.contains(file))
        throw support::Error(
            fmt::format("{} has no {}; give the unpacked CORSIKA tree", tree_.string(), file));
      load(set.rules.table("state").text("header"));
      load(set.rules.table("header").text("file"));
      for (const char* key : {"wrap", "wrap_file"})
        for (const auto& rule : set.rules.each(key)) load(rule.text("file"));
    }
  }

  PatchResult make() {
    const auto release = read_release(tree_);
    out_ = {{"release", release.empty() ? Json(nullptr) : Json(release)}};
    for (const char* key : {"routines", "stages", "files", "sites", "sources"}) out_[key] = Json::array();
    for (const auto& rules : rules_)
      if (!rules.stage) generator(rules);
    for (const auto& rules : rules_)
      if (rules.stage) stage(rules);
    for (const auto& rules : rules_) {
      if (rules.stage) continue;
      scan_tree(tree_, rules, blocks_);
      for (const auto& [path, sum] : source_digests(tree_, rules.rules.table("state")))
        out_["sources"].push_back({{"path", path}, {"sha256", sum}});
    }
    PatchResult result;
    for (const auto& [name, blocks] : blocks_) {
      const auto& stock = files_.at(name).text;
      auto after = apply_blocks(stock, blocks, name);
      out_["files"].push_back({{"path", name},
                               {"sha256_before", support::sha256_of_text(stock.bytes())},
                               {"sha256_after", support::sha256_of_text(after)}});
      result.texts[name] = std::move(after);
    }
    result.manifest = std::move(out_);
    return result;
  }

 private:
  void load(const std::string& name) {
    const auto path = tree_ / name;
    std::error_code code;
    if (name.empty() || files_.contains(name) || !fs::is_regular_file(path, code)) return;
    auto bytes = read_bytes(path);
    if (bytes.find("-overlay begin") != std::string::npos)
      throw support::Error(fmt::format("{} is patched already; give the stock tree", path.string()));
    const auto& file = files_.try_emplace(name, std::move(bytes), !name.ends_with(".c")).first->second;
    if (file.source && file.source->unbalanced_line() >= 0)
      throw support::Error(fmt::format("{}:{}: this preprocessor conditional has no partner; mend the file",
                                       name, file.source->unbalanced_line() + 1));
  }

  void generator(const RuleSet& rules) {
    const auto name = rules.rules.text("file");
    const auto& file = files_.at(name);
    const auto found = files_.find(rules.rules.table("state").text("header"));
    const auto* header = found == files_.end() ? nullptr : &*found->second.source;
    if (header != nullptr) check_sequences(rules, *header);
    auto& blocks = blocks_[name];
    auto routines = replace_routines(name, file, rules, blocks);
    for (auto& routine : routines.list) out_["routines"].push_back(std::move(routine));
    if (rules.rules.table("call_sites").text("routine").empty()) return;
    for (auto& site :
         inline_call_sites(name, file, routines.others,
                           header != nullptr ? header_blocks(*header) : HeaderBlocks(), rules, blocks))
      out_["sites"].push_back(std::move(site));
  }

  /// The number of sequences must be one that the library holds, and that all inlined draws fit in.
  static void check_sequences(const RuleSet& rules, const FixedFormSource& header) {
    const auto state = rules.rules.table("state");
    const int fewest = std::max(1, rules.rules.table("call_sites").number("highest_sequence"));
    for (const auto& statement : header.statements()) {
      const auto list = parse_reference(statement.text);
      if (!list || list->name != "PARAMETER") continue;
      for (const auto& part : split_arguments(list->inner.value_or(""))) {
        std::string_view count = part;
        if (!take_literal(count, "KSEQ=") || !is_integer(count)) continue;
        const int number = count.size() < 9 ? std::stoi(std::string(count)) : 999999999;
        if (number < fewest || number > state.number("most_sequences"))
          throw support::Error(fmt::format(
              "{}:{}: KSEQ is {}; the generator takes {} to {} sequences: set KSEQ to one of these",
              state.text("header"), statement.first + 1, count, fewest, state.number("most_sequences")));
      }
    }
  }

  void stage(const RuleSet& rules) {
    std::set<std::string> build;
    for (const auto& name : options_.build) build.insert(name.starts_with("__") ? name : "__" + name + "__");
    out_["stages"].push_back(plan_insertions(rules, files_, build, blocks_));
  }

  const PatchOptions options_;
  fs::path tree_;
  std::vector<RuleSet> rules_;
  std::map<std::string, SourceFile> files_;
  std::map<std::string, std::vector<Block>> blocks_;
  Json out_;
};

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
void replace_file(const fs::path& copy, const std::string& name, const std::string& text) {
  const auto path = fs::canonical(copy / name);
  if (!lies_in(path, copy))
    throw support::Error(fmt::format(
        "{} leads out of the tree through a symbolic link; give a tree that holds it itself", name));
  const auto mode = fs::status(path).permissions();
  support::write_file(path, text);
  fs::permissions(path, mode);
}

}  // namespace

PatchResult plan_patch(const PatchOptions& options) { return Plan(options).make(); }

std::string manifest_text(const PatchResult& result) {
  return result.manifest.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
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
  for (const auto& [name, text] : result.texts) replace_file(copy, name, text);
  if (!manifest.empty()) support::write_file(manifest, manifest_text(result));
  std::error_code error;
  fs::rename(copy, place, error);
  if (error) throw support::Error(fmt::format("cannot write {} ({})", out.string(), error.message()));
}

std::string unified_diff(const PatchResult& result, const fs::path& tree) {
  std::string out;
  for (const auto& [name, text] : result.texts) {
    const auto diff = support::run(
        {.argv = {"diff", "-u", "--label", "a/" + name, "--label", "b/" + name, (tree / name).string(), "-"},
         .input = text});
    if (diff.status != 1) throw support::Error("diff failed: " + diff.output);
    out += diff.output;
  }
  return out;
}

}  // namespace corsika_patches
