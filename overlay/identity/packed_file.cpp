// zstd's stream into a file: see the header.
#include "overlay/identity/packed_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

void check_written(bool written) {
  if (!written) throw std::system_error(errno, std::generic_category());
}

}  // namespace

PackedFile::PackedFile(const std::filesystem::path& file, std::optional<std::uint64_t> bytes)
    : file_(std::fopen(file.c_str(), "wbxe"), std::fclose) {
  check_written(file_ != nullptr);
  constexpr int kLevel = 3;  // zstd's default
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  if (bytes) ZSTD_CCtx_setPledgedSrcSize(context_.get(), *bytes);
}

void PackedFile::add(std::string_view bytes) {
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  while (in.pos < in.size) compress(in, ZSTD_e_continue);
}

std::uint64_t PackedFile::finish() {
  ZSTD_inBuffer none{nullptr, 0, 0};
  while (!compress(none, ZSTD_e_end)) {
  }
  check_written(std::fflush(file_.get()) == 0 && (fsync(fileno(file_.get())) == 0 || errno == EINVAL));
  return size_;
}

/// Returns whether all that was to be compressed is in the file.
bool PackedFile::compress(ZSTD_inBuffer& in, ZSTD_EndDirective how) {
  support::check_interrupt();
  ZSTD_outBuffer out{buffer_.data(), buffer_.size(), 0};
  const std::size_t left = ZSTD_compressStream2(context_.get(), &out, &in, how);
  if (ZSTD_isError(left) != 0) throw support::Error("zstd cannot compress: {}", ZSTD_getErrorName(left));
  check_written(std::fwrite(buffer_.data(), 1, out.pos, file_.get()) == out.pos);
  size_ += out.pos;
  return left == 0;
}

}  // namespace overlay
