// Read-only access to the bytes of a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

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

}  // namespace overlay
