#pragma once

#include <filesystem>
#include <string>

namespace support {

/// A new, empty folder under the system's folder for temporary files ($TMPDIR), which only its owner can enter
/// (mkdtemp). The destructor deletes it with all that is in it, and nothing else. Throws Error where it cannot be
/// made.
class TemporaryFolder {
 public:
  /// `purpose` becomes part of the name.
  explicit TemporaryFolder(const std::string& purpose = "overlay");
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

  /// Writes a file below it, with the folders that lead there; returns its path.
  std::filesystem::path write(const std::string& name, const std::string& text, bool executable = false) const;
  /// All bytes of a file below it; empty where there is none.
  std::string read(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

}  // namespace support
