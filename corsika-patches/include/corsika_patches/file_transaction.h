// New contents for several files, all or none. Writes beside these files and a journal in the tree.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "corsika_patches/file_access.h"
#include "corsika_patches/journal.h"

namespace corsika_patches {

/// New contents for several files, written all or not at all. The caller holds a TreeLock.
///
/// A write-ahead journal: it stands in the tree before anything else is made and names every file. New
/// contents go to new files beside the old ones, the old ones get a second name, all that is synced to disk,
/// and then the journal is turned from "undo" to "redo", by one rename. Only then are the files renamed into
/// place. A later call finds the journal of an interrupted transaction. It undoes one whose journal says
/// "undo", and finishes one whose journal says "redo".
///
/// A file that was changed since it was read is not replaced, no symbolic link is followed out of the tree,
/// and names are made with O_EXCL, so that nothing that is there is written over.
class FileTransaction {
 public:
  explicit FileTransaction(std::filesystem::path tree);
  ~FileTransaction();
  FileTransaction(const FileTransaction&) = delete;
  FileTransaction& operator=(const FileTransaction&) = delete;

  /// Plans contents for a file. `before`: what was read from it; nullopt where it must not exist. Throws
  /// Error where it is no regular file, lies behind a link out of the tree, cannot be written or has changed
  /// since. Writes nothing.
  void stage(const std::filesystem::path& file, std::string bytes, const std::optional<std::string>& before);
  /// Throws Error; then all files are as they were. Where even that fails the message says so, and the
  /// journal stands.
  void commit();

  /// Whether an interrupted transaction stands in the tree.
  static bool interrupted(const std::filesystem::path& tree);
  /// Finishes or undoes an interrupted transaction; true where there was one. Throws Error where one of its
  /// files was changed since; then nothing is touched.
  static bool recover(const std::filesystem::path& tree);

 private:
  struct Change {
    std::filesystem::path file;
    OpenFolder folder;
    OpenFolder::Entry old;
    std::string name, bytes;
  };
  void check_unchanged(std::size_t index) const;
  void write_new(std::size_t index) const;
  void replace_all();
  bool undo() noexcept;

  std::filesystem::path tree_;
  Journal journal_;  ///< journal_.files[i] is the file of changes_[i]
  std::vector<Change> changes_;
};

}  // namespace corsika_patches
