#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace corsika_patches {

/// New contents for several files, written all or not at all.
///
/// Contents go to temporary files beside the originals and to disk; then a journal in the tree names them
/// all; then each is renamed over its original; then the journal goes. Whatever fails before the journal
/// stands leaves the originals alone. A process killed before it stands leaves only temporary files, one
/// killed after it leaves all new contents at hand: the next call cleans up or finishes.
///
/// Environment variable CORSIKA_PATCH_KILL (for tests): "staged", "journal" or "renamed" kills the process
/// there.
class FileTransaction {
 public:
  explicit FileTransaction(std::filesystem::path tree);
  ~FileTransaction();
  FileTransaction(const FileTransaction&) = delete;
  FileTransaction& operator=(const FileTransaction&) = delete;

  /// Stages contents for a file (which need not exist). Throws Error; nothing is changed then.
  void stage(const std::filesystem::path& file, const std::string& bytes);
  void commit();

  /// Whether an interrupted transaction stands in the tree.
  static bool interrupted(const std::filesystem::path& tree);
  /// Finishes an interrupted transaction; removes temporary files that a dead one left. True where it did
  /// anything.
  static bool recover(const std::filesystem::path& tree,
                      const std::vector<std::filesystem::path>& candidates);

 private:
  struct Staged {
    std::filesystem::path file, temporary;
    std::string sha256;
  };
  void discard() noexcept;

  std::filesystem::path tree_;
  std::vector<Staged> staged_;
  bool done_ = false;
};

/// Holds a tree against a second patcher while it lives. Throws Error where another holds it.
class TreeLock {
 public:
  explicit TreeLock(const std::filesystem::path& tree);
  ~TreeLock();
  TreeLock(const TreeLock&) = delete;
  TreeLock& operator=(const TreeLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace corsika_patches
