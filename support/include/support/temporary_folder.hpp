// Folders for what is needed for a while.
#pragma once

#include <filesystem>
#include <string>

namespace support {

/// A new, empty folder of a name that nobody else has, which only its owner can enter (mkdtemp). The
/// destructor deletes it with all that is in it, read-only folders included, and nothing else.
class TemporaryFolder {
 public:
  /// Under the system's folder for temporary files ($TMPDIR). `purpose` becomes part of the name. Throws
  /// Error where it cannot be made, std::filesystem::filesystem_error where $TMPDIR is no folder.
  explicit TemporaryFolder(const std::string& purpose = "overlay");

  /// Under `parent`, so that what is made in it can be renamed to a place beside it. Throws Error.
  TemporaryFolder(const std::filesystem::path& parent, const std::string& purpose);

  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

  /// Writes a file below it, with the folders that lead there; returns its path. Throws
  /// std::filesystem::filesystem_error where a folder cannot be made. Does not tell that a write failed.
  std::filesystem::path write(const std::string& name, const std::string& text,
                              bool executable = false) const;
  /// All bytes of a file below it; empty where there is none.
  std::string read(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

/// Deletes a folder of ours with all that is in it, read-only folders included. Links are not followed; what
/// cannot be deleted stays.
void remove_folder(const std::filesystem::path& folder);

}  // namespace support
