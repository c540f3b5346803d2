// The bytes of a file: as they are, or uncompressed where CORSIKA's ICECUBE2 or the IACT package compressed
// it, by the ending of its name (.gz, .zst, ...). Writes a temporary copy beside the run folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "support/temporary_folder.hpp"

namespace overlay {

/// A whole file, read-only, mapped into memory. Nobody may shorten the file meanwhile. Throws support::Error
/// where it cannot be read or is no regular file.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }
  std::size_t size() const { return size_; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A file's name without the ending of a compression; empty where it has none.
std::string uncompressed_name(const std::string& name);

/// A file's content: its bytes, or what was compressed where the name says so. The IACT package sends what it
/// writes through a program, by the ending of the file's name (.gz, .bz2, .zst, .xz, .lzma, .lz4, .lzo).
/// Older releases of the package know fewer endings.
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
