// Writes a file that zstd compresses.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace overlay {

/// A new zstd file (level 3, with zstd's own checksum). add() and finish() throw std::system_error with errno
/// where it cannot be written, support::Interrupted where this program is to stop, and support::Error where
/// it cannot be compressed. It is whole once finish() returns.
class PackedFile {
 public:
  /// `bytes`: how many there will be, where that is known. Throws std::system_error.
  explicit PackedFile(const std::filesystem::path& file, std::optional<std::uint64_t> bytes = {});
  void add(std::string_view bytes);
  /// Ends the file, waits until it is on the disk, and returns its size.
  std::uint64_t finish();

 private:
  bool compress(ZSTD_inBuffer& in, ZSTD_EndDirective how);

  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 20);
  std::uint64_t size_ = 0;
};

}  // namespace overlay
