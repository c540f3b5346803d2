// overlay patch: a patched copy of the sources, or its unified diff. Writes below --out alone.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "commands.hpp"
#include "overlay/build/tree_copy.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

/// Unpacks the IACT package of a tree (bernlohr/*.tar.gz), as coconut does; replaces nothing that is there.
void unpack_package(const fs::path& tree) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(tree / "bernlohr", error))
    if (entry.path().string().ends_with(".tar.gz")) found.push_back(entry.path());
  if (found.empty()) return;
  const auto archive = std::min_element(found.begin(), found.end())->string();
  const auto result =
      support::run({.argv = {"tar", "--extract", "--no-same-owner", "--skip-old-files", "--file", archive,
                             "--directory", (tree / "bernlohr").string()}});
  if (result.status != 0)
    throw support::Error(fmt::format("{} cannot be unpacked ({}); is it whole, and is there space?", archive,
                                     result.output.substr(0, result.output.find('\n'))));
}

void print_diff(const fs::path& patcher, const fs::path& tree) {
  support::Command command{{patcher.string(), "apply", "--tree", tree.string(), "--dry-run"}};
  command.errors = support::Command::Errors::kPassThrough;
  const auto result = support::run(command);
  const bool written =
      std::fwrite(result.output.data(), 1, result.output.size(), stdout) == result.output.size();
  if (result.status != 0) throw support::Error("the tree cannot be patched; the line above says why");
  if (!written || std::fflush(stdout) != 0) throw support::Error("cannot write the diff to standard output");
}

/// Calls the patcher; its one line of error becomes ours.
void make_patched(const fs::path& patcher, const fs::path& tree, const fs::path& copy) {
  fs::create_directory(copy);
  const auto result =
      support::run({.argv = {patcher.string(), "apply", "--tree", tree.string(), "--out",
                             (copy / "tree").string(), "--manifest", (copy / "manifest.json").string()}});
  if (result.status == 0) return;
  auto reason = result.output;
  if (const auto at = reason.find("error: "); at != std::string::npos) reason = reason.substr(at + 7);
  throw support::Error(fmt::format("the tree was not patched: {}", reason.substr(0, reason.find('\n'))));
}

}  // namespace

int run_patch(const PatchCommand& options) {
  auto source = options.source;
  source.out = fs::absolute(options.out).lexically_normal();
  const auto patcher = program_folder() / "corsika-patch";
  if (!support::find_program(patcher.string()))
    throw support::Error(fmt::format(
        "{} is not built; run scripts/overlay, or cmake --build --preset default", patcher.string()));
  const auto found = obtain_source(source);
  const auto all = source.out / "patched", copy = all / found.id;
  // A dry run leaves nothing below --out.
  std::optional<support::NewFolders> folders;
  if (!options.dry_run) folders.emplace(all);
  const auto work = options.dry_run ? std::make_unique<support::TemporaryFolder>("overlay-patch")
                                    : std::make_unique<support::TemporaryFolder>(all, "new");
  const auto tree = work->path() / "stock", fresh = work->path() / "copy";
  copy_tree(found.folder, tree);
  unpack_package(tree);
  if (options.dry_run) {
    print_diff(patcher, tree);
    return 0;
  }
  make_patched(patcher, tree, fresh);
  std::error_code error;
  fs::rename(fresh, copy, error);
  // One that is there, perhaps of a call beside this one, is as good where it says the same.
  if (error && (!fs::exists(copy / "manifest.json") ||
                support::read_file(copy / "manifest.json") != support::read_file(fresh / "manifest.json")))
    throw support::Error(
        fs::exists(copy)
            ? fmt::format("{} is there already, from other sources or another version of the "
                          "patcher; delete it and call again",
                          copy.string())
            : fmt::format("cannot write {} ({}); give --out DIR elsewhere", copy.string(), error.message()));
  fmt::print("patched   {}\nmanifest  {}\n", (copy / "tree").string(), (copy / "manifest.json").string());
  return 0;
}

}  // namespace overlay
