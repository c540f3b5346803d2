// Files compressed by zstd: see the header.
#include "overlay/production/packed_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "overlay/identity/file_content.hpp"
#include "overlay/production/exit_codes.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr int kLevel = 3;                             // zstd's default
constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes between two looks whether we are to stop

/// A new file that is deleted again unless it was finished.
class NewFile {
 public:
  explicit NewFile(const fs::path& file) : file_(file), out_(std::fopen(file.c_str(), "wbxe")) {
    if (out_ == nullptr) throw cannot_write(file_, errno);
  }
  ~NewFile() {
    if (out_ == nullptr) return;
    std::fclose(out_);
    unlink(file_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(const void* data, std::size_t size) const {
    if (std::fwrite(data, 1, size, out_) != size) throw cannot_write(file_, errno);
  }
  void finish() {
    if (std::fflush(out_) != 0 || (fsync(fileno(out_)) != 0 && errno != EINVAL))
      throw cannot_write(file_, errno);
    if (std::fclose(std::exchange(out_, nullptr)) == 0) return;
    const int problem = errno;
    unlink(file_.c_str());
    throw cannot_write(file_, problem);
  }

 private:
  fs::path file_;
  std::FILE* out_;
};

/// Hands what a packed file holds to `take`, piece by piece.
void unpack(const fs::path& packed, const std::function<void(const void*, std::size_t)>& take) {
  const MappedFile file(packed);
  // These are kept for each thread: a production's verification unpacks millions of small files.
  thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                                  ZSTD_freeDCtx);
  thread_local std::vector<char> piece(kPiece);
  ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_only);
  ZSTD_inBuffer in{file.bytes().data(), file.size(), 0};
  for (;;) {
    support::check_interrupt();
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    const std::size_t more = ZSTD_decompressStream(context.get(), &out, &in);  // 0 once a frame has ended
    if (ZSTD_isError(more) != 0)
      throw support::Error(fmt::format("{} is damaged: {}", packed.string(), ZSTD_getErrorName(more)));
    take(piece.data(), out.pos);
    if (in.pos < in.size) continue;
    if (more == 0) return;
    if (out.pos < out.size)
      throw support::Error(fmt::format("{} is damaged: it ends too early", packed.string()));
  }
}

}  // namespace

std::uint64_t pack_file(std::string_view bytes, const fs::path& packed) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setPledgedSrcSize(context.get(), bytes.size());
  NewFile file(packed);
  std::vector<char> buffer(kPiece);
  std::uint64_t size = 0;
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  for (std::size_t left = 1; left != 0;) {
    support::check_interrupt();
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    left = ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_end);
    if (ZSTD_isError(left) != 0)
      throw WorkerError(WorkerExit::try_again,
                        fmt::format("cannot compress {}: {}", packed.string(), ZSTD_getErrorName(left)));
    file.write(buffer.data(), out.pos);
    size += out.pos;
  }
  file.finish();
  return size;
}

std::string unpacked_sha256(const fs::path& packed) {
  support::Sha256 sum;
  unpack(packed, [&](const void* data, std::size_t size) { sum.update(data, size); });
  return sum.hexadecimal();
}

void unpack_file(const fs::path& packed, const fs::path& to) {
  NewFile file(to);
  unpack(packed, [&](const void* data, std::size_t size) { file.write(data, size); });
  file.finish();
}

void sync_folder(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace overlay
