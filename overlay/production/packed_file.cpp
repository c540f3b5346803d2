// Files compressed by zstd: see the header.
#include "overlay/production/packed_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "overlay/production/exit_codes.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr int kLevel = 3;                             // zstd's default
constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes between two looks whether we are to stop

[[noreturn]] void cannot_write(const fs::path& file, int problem) {
  const bool full = problem == ENOSPC || problem == EDQUOT;
  throw WorkerError(full ? WorkerExit::disk_full : WorkerExit::try_again,
                    full ? fmt::format("the disk of {} is full; free some space", file.parent_path().string())
                         : fmt::format("cannot write {} ({})", file.string(), std::strerror(problem)));
}

/// A new file that is deleted again unless it was finished.
class NewFile {
 public:
  explicit NewFile(const fs::path& file)
      : file_(file), fd_(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644)) {
    if (fd_ < 0) cannot_write(file_, errno);
  }
  ~NewFile() {
    if (fd_ < 0) return;
    close(fd_);
    unlink(file_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(const void* data, std::size_t size) {
    const char* from = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t n = ::write(fd_, from, size);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(errno);
      from += n;
      size -= static_cast<std::size_t>(n);
    }
  }
  void finish() {
    if (fsync(fd_) != 0 && errno != EINVAL) fail(errno);
    const int fd = fd_;
    fd_ = -1;
    if (close(fd) == 0) return;
    const int problem = errno;
    unlink(file_.c_str());
    cannot_write(file_, problem);
  }

 private:
  [[noreturn]] void fail(int problem) {
    close(fd_);
    fd_ = -1;
    unlink(file_.c_str());
    cannot_write(file_, problem);
  }

  fs::path file_;
  int fd_;
};

/// A file that is read from its start to its end.
class InputFile {
 public:
  explicit InputFile(const fs::path& file) : file_(file), fd_(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) fail();
  }
  ~InputFile() { close(fd_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// The number of bytes that it put into `to`; 0 at the end.
  std::size_t read_some(std::vector<char>& to) const {
    for (;;) {
      const ssize_t n = read(fd_, to.data(), to.size());
      if (n >= 0) return static_cast<std::size_t>(n);
      if (errno != EINTR) fail();
    }
  }

 private:
  [[noreturn]] void fail() const {
    throw support::Error(fmt::format("cannot read {} ({})", file_.string(), std::strerror(errno)));
  }

  const fs::path& file_;
  int fd_;
};

/// Hands what a packed file holds to `take`, piece by piece.
void unpack(const fs::path& packed, const std::function<void(const void*, std::size_t)>& take) {
  const InputFile file(packed);
  // These are kept for each thread: a production's verification unpacks millions of small files.
  thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                                  ZSTD_freeDCtx);
  thread_local std::vector<char> from(kPiece), piece(kPiece);
  ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_only);
  ZSTD_inBuffer in{from.data(), 0, 0};
  std::size_t more = 1;  // 0 once a frame has ended
  for (bool ended = false;;) {
    support::check_interrupt();
    if (in.pos == in.size && !ended) {
      in = {from.data(), file.read_some(from), 0};
      ended = in.size == 0;
    }
    if (ended && more == 0) return;
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    more = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(more) != 0)
      throw support::Error(fmt::format("{} is damaged: {}", packed.string(), ZSTD_getErrorName(more)));
    take(piece.data(), out.pos);
    if (ended && out.pos == 0 && more != 0)
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
  std::vector<char> buffer(ZSTD_CStreamOutSize());
  std::uint64_t size = 0;
  for (std::size_t at = 0, left = 1; left != 0;) {
    support::check_interrupt();
    const std::size_t piece = std::min(kPiece, bytes.size() - at);
    const bool last = at + piece == bytes.size();
    ZSTD_inBuffer in{bytes.data() + at, piece, 0};
    do {
      ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
      left = ZSTD_compressStream2(context.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0)
        throw WorkerError(WorkerExit::try_again,
                          fmt::format("cannot compress {}: {}", packed.string(), ZSTD_getErrorName(left)));
      file.write(buffer.data(), out.pos);
      size += out.pos;
    } while (last ? left != 0 : in.pos < in.size);
    at += piece;
    if (!last) left = 1;
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
