// One patcher at a time in a tree.
#pragma once
#include <filesystem>

namespace corsika_patches {

/// Holds a tree against a second patcher while it lives. Ends with the process, whatever ends it.
class TreeLock {
 public:
  /// Throws Error where another patcher holds the tree, or where it cannot be opened.
  explicit TreeLock(const std::filesystem::path& tree);
  ~TreeLock();
  TreeLock(const TreeLock&) = delete;
  TreeLock& operator=(const TreeLock&) = delete;

 private:
  bool take_folder();
  bool take_file();

  std::filesystem::path tree_, file_;
  int descriptor_ = -1;
};

}  // namespace corsika_patches
