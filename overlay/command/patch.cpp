// overlay patch: a patched copy of the sources, its unified diff, or the way back. Writes below --out alone.
#include <fmt/format.h>

#include <cstdio>

#include "commands.hpp"
#include "overlay/build/tree_copy.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/folder_lock.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"
#include "unpacked.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

/// Where a patched tree stands, and what belongs to it.
struct PatchedCopy {
  explicit PatchedCopy(const fs::path& at)
      : folder(at), tree(at / "tree"), manifest(at / "manifest.json"), unpacked(at / "unpacked.list") {}
  fs::path folder, tree, manifest, unpacked;
};

/// Calls the patcher; its one line of error becomes ours.
void ask(const fs::path& patcher, const char* verb, const fs::path& tree, const fs::path& manifest = {}) {
  support::Command command{{patcher.string(), verb, "--tree", tree.string()}};
  if (!manifest.empty()) command.argv.insert(command.argv.end(), {"--manifest", manifest.string()});
  const auto result = support::run(command);
  if (result.status == 0) return;
  auto reason = result.output;
  if (const auto at = reason.find("error: "); at != std::string::npos) reason = reason.substr(at + 7);
  throw support::Error(fmt::format("the tree was not changed: {}", reason.substr(0, reason.find('\n'))));
}

void print_diff(const fs::path& patcher, const char* verb, const fs::path& tree) {
  support::Command command{{patcher.string(), verb, "--tree", tree.string(), "--dry-run"}};
  command.errors = support::Command::Errors::kPassThrough;
  const auto result = support::run(command);
  const bool written =
      std::fwrite(result.output.data(), 1, result.output.size(), stdout) == result.output.size();
  if (result.status != 0) throw support::Error("the tree cannot be patched; the line above says why");
  if (!written || std::fflush(stdout) != 0) throw support::Error("cannot write the diff to standard output");
}

/// Shows what would be done. The user's tree is never written to: a copy is unpacked and thrown away.
void show(const PatchCommand& options, const fs::path& patcher, const fs::path& source,
          const PatchedCopy& copy) {
  if (options.reverse) return print_diff(patcher, "reverse", copy.tree);
  const support::TemporaryFolder work("overlay-patch");
  copy_tree(source, work.path() / "tree");
  unpack_package(work.path() / "tree", work.path() / "unpacked.list", work.path());
  print_diff(patcher, "apply", work.path() / "tree");
}

std::string some_of(const std::vector<std::string>& names) {
  return names.size() == 1 ? names.front() : fmt::format("{} and {} more", names.front(), names.size() - 1);
}

void reverse(const fs::path& patcher, const fs::path& source, const PatchedCopy& copy) {
  if (const auto changed = changed_since(copy.tree, copy.unpacked, copy.manifest); !changed.empty())
    throw support::Error(
        fmt::format("{} was changed since it was unpacked, and nothing was reversed; keep your change "
                    "elsewhere, delete it in {} "
                    "and call again",
                    some_of(changed), copy.tree.string()));
  ask(patcher, "reverse", copy.tree);
  const auto kept = remove_unpacked(copy.tree, copy.unpacked);
  support::delete_file(copy.manifest);
  if (const auto unlike = sources_unlike(copy.tree, source); unlike.empty())
    fmt::print("{}: stock again\n", copy.tree.string());
  else
    fmt::print(
        "{}: the patch is out, but this is not the stock tree: {} edited, added or deleted since, and left "
        "so\n",
        copy.tree.string(), some_of(unlike) + (unlike.size() == 1 ? " was" : " were"));
  if (!kept.empty()) fmt::print("kept      {}: there is more in it than was unpacked\n", some_of(kept));
}

/// A first patch: the copy gets its name when it is patched, and not before.
void make_patched(const fs::path& patcher, const fs::path& source, const PatchedCopy& copy) {
  const support::TemporaryFolder work(copy.folder, "new");
  const PatchedCopy staged(work.path());
  copy_tree(source, staged.tree);
  unpack_package(staged.tree, staged.unpacked, work.path());
  ask(patcher, "apply", staged.tree, staged.manifest);
  std::error_code error;
  if (fs::exists(staged.unpacked, error)) fs::rename(staged.unpacked, copy.unpacked, error);
  if (!error) fs::rename(staged.tree, copy.tree, error);
  if (!error) fs::rename(staged.manifest, copy.manifest, error);
  if (error)
    throw support::Error(fmt::format("cannot write in {} ({}); give --out DIR elsewhere",
                                     copy.folder.string(), error.message()));
}

/// A copy that stands is patched where it is: stock again after a reverse, or patched by an earlier version.
void patch_again(const fs::path& patcher, const PatchedCopy& copy) {
  std::error_code error;
  const bool first = !fs::exists(copy.unpacked, error);
  try {
    unpack_package(copy.tree, copy.unpacked, copy.folder);
    ask(patcher, "apply", copy.tree, copy.manifest);
  } catch (const support::Error&) {
    if (first) remove_unpacked(copy.tree, copy.unpacked);
    throw;
  }
}

/// Folders that a killed call left; the lock is held, so nobody works in them.
void remove_left(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with("new-") && name.size() == 10 && entry.is_directory(error) &&
        !entry.is_symlink(error))
      support::remove_folder(entry.path());
  }
}

}  // namespace

int run_patch(const PatchCommand& options) {
  auto source = options.source;
  const auto out = fs::absolute(options.out).lexically_normal();
  source.out = out;
  const auto patcher = program_folder() / "corsika-patch";
  if (!support::find_program(patcher.string()))
    throw support::Error(fmt::format(
        "{} is not built; run scripts/overlay, or cmake --build --preset default", patcher.string()));
  const auto found = obtain_source(source);
  const PatchedCopy copy(out / "patched" / found.id);
  std::error_code error;
  if (options.reverse && !fs::is_directory(copy.tree, error))
    throw support::Error(fmt::format(
        "there is no patched tree {} to reverse; patch first, or give the same --out", copy.tree.string()));
  if (options.dry_run) {
    show(options, patcher, found.folder, copy);
    return 0;
  }
  const support::NewFolders folders(copy.folder);
  const support::FolderLock lock(copy.folder, [&](const std::string& holder) {
    fmt::print(stderr, "overlay: {} is at work in {}; waiting for it\n", holder, copy.folder.string());
  });
  remove_left(copy.folder);
  if (options.reverse) {
    reverse(patcher, found.folder, copy);
    return 0;
  }
  if (fs::is_directory(copy.tree, error))
    patch_again(patcher, copy);
  else
    make_patched(patcher, found.folder, copy);
  fmt::print("patched   {}\nmanifest  {}\n", copy.tree.string(), copy.manifest.string());
  return 0;
}

}  // namespace overlay
