// Files that were compressed, by CORSIKA's ICECUBE2 or by the IACT package because of their name's ending
// (.gz, .zst, ...): reads their uncompressed content. Writes a temporary copy beside the run folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "overlay/identity/mapped_file.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {

/// The program that compressed a file of this name and these bytes; empty where none did. The IACT package
/// sends what it writes through such a program, by the ending of the file's name (.gz, .bz2, .zst, .xz,
/// .lzma, .lz4, .lzo). Older releases of the package know fewer endings.
std::string compression_of(const std::string& name, std::string_view bytes);

/// A file's name without the ending of a compression; empty where it has none.
std::string uncompressed_name(const std::string& name);

/// A file's content: its bytes, or what was compressed where the name says so.
class FileContent {
 public:
  /// `name` and the first bytes decide whether `path` is compressed. `scratch` is a folder for the copy.
  /// Throws support::Error where the file cannot be read, is not whole, or the program that unpacks it is
  /// missing.
  FileContent(const std::filesystem::path& path, const std::string& name,
              const std::filesystem::path& scratch);

  std::string_view bytes() const { return file_->bytes(); }
  std::size_t size() const { return file_->size(); }
  /// The program that unpacked it; empty where it was not compressed.
  const std::string& unpacked_by() const { return unpacked_by_; }

 private:
  std::string unpacked_by_;
  std::optional<support::TemporaryFolder> folder_;  ///< holds the copy
  std::optional<MappedFile> file_;
};

}  // namespace overlay
