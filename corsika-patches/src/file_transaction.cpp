// The steps of a transaction, and what a later call does with one that was killed between two of them.
#include "corsika_patches/file_transaction.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "support/checksum.hpp"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

namespace fs = std::filesystem;
const std::string journal_name = ".corsika-patch-journal";
const std::string new_journal_name = ".corsika-patch-journal.new";

[[noreturn]] void stop_unchanged(const char* what, const fs::path& path, int error) {
  throw support::Error(
      fmt::format("cannot {} {}: {}; nothing was changed", what, path.string(), std::strerror(error)));
}

/// Relative to the tree where the file is in it (a tree may be moved), else absolute.
std::string name_in_journal(const fs::path& tree, const fs::path& file) {
  const auto relative = file.lexically_relative(tree);
  return relative.empty() || *relative.begin() == ".." ? fs::absolute(file).string() : relative.string();
}

/// Opens the folder of a file that a journal names.
OpenFolder folder_of(const fs::path& tree, const std::string& name) {
  const fs::path file = name;
  if (!file.is_absolute()) return OpenFolder(tree / file, tree);
  std::error_code code;
  const auto folder = fs::canonical(file.parent_path(), code);
  if (code) stop_unchanged("write", file, code.value());
  return OpenFolder(folder);
}

/// What a dead patcher left of a journal that it did not write to its end. Anything else of that name is not
/// ours.
bool remove_begun_journal(const OpenFolder& root) {
  const auto entry = root.entry(new_journal_name);
  if (!entry.there) return false;
  if (!entry.regular || !Journal::begins_like_one(root.read(new_journal_name)))
    throw support::Error(
        fmt::format("{} is in the way; move it elsewhere", (root.path() / new_journal_name).string()));
  return root.remove(new_journal_name);
}

/// Puts a journal in place, on disk, by one rename. An error number; 0: done.
int put_journal(const OpenFolder& root, const Journal& journal) {
  int error = root.create(new_journal_name, journal.text(), {});
  if (error != 0) return error;
  error = root.rename(new_journal_name, journal_name);
  if (error != 0) root.remove(new_journal_name);
  return error != 0 ? error : root.sync();
}

/// Puts the old contents back and removes what the transaction made. True where all of that went well.
bool undo_files(const fs::path& tree, const Journal& journal) {
  bool well = true;
  for (const auto& file : journal.files) {
    const auto folder = folder_of(tree, file.name);
    const auto name = fs::path(file.name).filename().string();
    const auto fresh = journal.name_of_new(name), old = journal.name_of_old(name);
    if (!folder.entry(fresh).there && folder.digest(name) == file.after) {
      if (file.before.empty())
        well = folder.remove(name) && well;
      else if (folder.entry(old).regular)
        well = folder.rename(old, name) == 0 && well;
    }
    well = folder.remove(fresh) && well;
    well = folder.remove(old) && well;
    well = folder.sync() == 0 && well;
  }
  return well;
}

/// Puts the new contents in place where that is still to do. Throws Error before anything is touched. False
/// where new contents are gone that were not in place yet: then there is only the way back.
bool redo_files(const fs::path& tree, const Journal& journal) {
  struct Step {
    OpenFolder folder;
    std::string name;
    bool waits;
  };
  std::vector<Step> steps;
  for (const auto& file : journal.files) {
    Step step{folder_of(tree, file.name), fs::path(file.name).filename().string(), false};
    const auto fresh = journal.name_of_new(step.name);
    const auto now = step.folder.digest(step.name).value_or("");
    if (!step.folder.entry(fresh).there) {
      if (now == file.before && file.before != file.after) return false;
    } else {
      step.waits = true;
      if (step.folder.digest(fresh) != file.after || now != file.before)
        throw support::Error(
            fmt::format("{} was changed since a patch was interrupted here; undo that change and call again, "
                        "or take the stock tree",
                        (step.folder.path() / step.name).string()));
    }
    steps.push_back(std::move(step));
  }
  for (const auto& step : steps) {
    if (!step.waits) continue;
    if (const int error = step.folder.rename(journal.name_of_new(step.name), step.name); error != 0)
      throw support::Error(fmt::format("cannot finish an interrupted patch: {}: {}; mend that and call again",
                                       (step.folder.path() / step.name).string(), std::strerror(error)));
  }
  for (const auto& step : steps) step.folder.sync();
  for (const auto& step : steps)
    if (!step.folder.remove(journal.name_of_old(step.name)))
      throw support::Error(fmt::format("cannot remove {}: {}; mend that and call again",
                                       (step.folder.path() / journal.name_of_old(step.name)).string(),
                                       std::strerror(errno)));
  return true;
}

}  // namespace

FileTransaction::FileTransaction(fs::path tree) : tree_(std::move(tree)) {}
FileTransaction::~FileTransaction() = default;

void FileTransaction::stage(const fs::path& file, std::string bytes,
                            const std::optional<std::string>& before) {
  auto name = name_in_journal(tree_, file);
  auto folder = folder_of(tree_, name);
  const auto base = file.filename().string();
  const auto entry = folder.entry(base);
  if (entry.there && !entry.regular)
    throw support::Error(fmt::format(
        "{} is a symbolic link or no regular file; give a tree that holds the file itself", file.string()));
  journal_.files.push_back(
      {std::move(name), before ? support::sha256_of_text(*before) : "", support::sha256_of_text(bytes)});
  changes_.push_back({file, std::move(folder), entry, base, std::move(bytes)});
  check_unchanged(changes_.size() - 1);
}

void FileTransaction::check_unchanged(std::size_t index) const {
  const auto& change = changes_[index];
  if (change.folder.digest(change.name).value_or("") != journal_.files[index].before)
    throw support::Error(
        fmt::format("{} was changed while it was being patched; nothing was changed by us, call again",
                    change.file.string()));
}

void FileTransaction::write_new(std::size_t index) const {
  const auto& change = changes_[index];
  int error = change.folder.create(journal_.name_of_new(change.name), change.bytes, change.old);
  if (error == 0 && change.old.there)
    error = change.folder.duplicate(change.name, journal_.name_of_old(change.name));
  if (error == 0) error = change.folder.sync();
  if (error != 0) stop_unchanged("write", change.file, error);
}

void FileTransaction::commit() {
  if (changes_.empty()) return;
  const OpenFolder root(tree_);
  for (const auto& change : changes_)
    if (change.old.there && !change.folder.writable(change.name)) stop_unchanged("write", change.file, errno);
  remove_begun_journal(root);
  journal_.token = Journal::new_token();
  try {
    const auto journal_path = tree_ / journal_name;
    if (const int error = put_journal(root, journal_); error != 0)
      stop_unchanged("write", journal_path, error);
    for (std::size_t i = 0; i < changes_.size(); ++i) write_new(i);
    for (std::size_t i = 0; i < changes_.size(); ++i) check_unchanged(i);
    journal_.direction = Journal::Direction::redo;
    if (const int error = put_journal(root, journal_); error != 0)
      stop_unchanged("write", journal_path, error);
    replace_all();
  } catch (const support::Error& error) {
    if (undo()) throw;
    throw support::Error(
        fmt::format("{}, but for what an interrupted patch leaves: call again to clean up", error.what()));
  }
  // What is left to remove is no longer needed: where that fails the journal stays, and the next call does
  // it.
  bool gone = true;
  for (const auto& change : changes_) gone = change.folder.remove(journal_.name_of_old(change.name)) && gone;
  if (gone) root.remove(journal_name);
  root.sync();
}

void FileTransaction::replace_all() {
  for (const auto& change : changes_)
    if (const int error = change.folder.rename(journal_.name_of_new(change.name), change.name); error != 0)
      stop_unchanged("replace", change.file, error);
  for (const auto& change : changes_)
    if (const int error = change.folder.sync(); error != 0) stop_unchanged("replace", change.file, error);
}

/// Back to the old contents; false where that cannot be done. Then the journal stays, and the next call does
/// it.
bool FileTransaction::undo() noexcept {
  try {
    const OpenFolder root(tree_);
    if (root.entry(journal_name).there) {
      const auto standing = Journal::read(root.read(journal_name));
      journal_.direction = Journal::Direction::undo;
      const bool turned = standing && standing->direction == Journal::Direction::undo;
      if (!turned && put_journal(root, journal_) != 0) return false;
    }
    if (!undo_files(tree_, journal_)) return false;
    root.remove(journal_name);
    return root.sync() == 0;
  } catch (const std::exception&) {
    return false;
  }
}

bool FileTransaction::interrupted(const fs::path& tree) {
  std::error_code code;
  return fs::exists(fs::symlink_status(tree / journal_name, code));
}

bool FileTransaction::recover(const fs::path& tree) {
  const OpenFolder root(tree);
  const bool begun = remove_begun_journal(root);
  if (!root.entry(journal_name).there) return begun;
  const auto path = tree / journal_name;
  const auto journal =
      root.entry(journal_name).regular ? Journal::read(root.read(journal_name)) : std::nullopt;
  if (!journal)
    throw support::Error(fmt::format(
        "{} is damaged, or from another version; finish with that version, or take the stock tree again",
        path.string()));
  const bool done = journal->direction == Journal::Direction::redo && redo_files(tree, *journal);
  if (!done && !undo_files(tree, *journal)) {
    throw support::Error(
        fmt::format("cannot clean up after a patch that was interrupted in {}; see that its files "
                    "can be written and call again",
                    tree.string()));
  }
  if (!root.remove(journal_name))
    throw support::Error(fmt::format("cannot remove {}: {}; remove it", path.string(), std::strerror(errno)));
  root.sync();
  return true;
}

}  // namespace corsika_patches
