// Files of a tree by their folder's descriptor: no symbolic link is followed out of the tree. Reads and
// writes files.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace corsika_patches {

/// An open folder. Names below it are looked up in that very folder, whatever becomes of its path meanwhile.
class OpenFolder {
 public:
  /// The folder of `file`. It must lie in `tree` (a canonical path) after all symbolic links are resolved.
  /// Throws Error.
  OpenFolder(const std::filesystem::path& file, const std::filesystem::path& tree);
  explicit OpenFolder(const std::filesystem::path& folder);
  ~OpenFolder();
  OpenFolder(OpenFolder&& other) noexcept;
  OpenFolder& operator=(OpenFolder&&) = delete;
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;

  /// What stands under a name, without following a link.
  struct Entry {
    bool there = false, regular = false;
    mode_t mode = 0644;  ///< permissions
    uid_t owner = 0;
    gid_t group = 0;
  };
  Entry entry(const std::string& name) const;
  /// SHA-256 of a regular file, nullopt where there is none of that name. Throws Error where it cannot be
  /// read.
  std::optional<std::string> digest(const std::string& name) const;
  /// All bytes of a regular file. Throws Error.
  std::string read(const std::string& name) const;
  /// Whether this process may write to the file.
  bool writable(const std::string& name) const;

  /// Makes a new file with these bytes, owner and permissions and brings it to disk. An error number; 0:
  /// done. EEXIST where the name is taken, also by a link. What was begun is removed again.
  int create(const std::string& name, const std::string& bytes, const Entry& like) const;
  /// A second name for a file, or a copy where the file system has no hard links. As create().
  int duplicate(const std::string& name, const std::string& second) const;
  /// Gives a file another name; a file that has it already is replaced. An error number; 0: done.
  int rename(const std::string& from, const std::string& to) const;
  /// Removes a name if a regular file stands there. True where none does afterwards.
  bool remove(const std::string& name) const;
  /// Brings names in the folder to disk. An error number; 0: done, or the file system cannot do it.
  int sync() const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace corsika_patches
