// Files mapped into memory, and the content of compressed ones.
#include "overlay/identity/file_content.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "overlay/build/workplace.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;

namespace {

struct Compression {
  std::string_view end, program, mark;  ///< of the name; and the bytes with which such a file begins
};

using namespace std::string_view_literals;
constexpr std::array<Compression, 7> kCompressions{{{".gz", "gzip", "\x1f\x8b"sv},
                                                    {".bz2", "bzip2", "BZh"sv},
                                                    {".zst", "zstd", "\x28\xb5\x2f\xfd"sv},
                                                    {".xz", "xz", "\xfd\x37zXZ\0"sv},
                                                    {".lzma", "lzma", "\x5d\0\0"sv},
                                                    {".lz4", "lz4", "\x04\x22\x4d\x18"sv},
                                                    {".lzo", "lzop", "\x89LZO"sv}}};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const auto fail = [&](const std::string& why) {
    if (fd >= 0) close(fd);
    throw support::Error("cannot read {}: {}", path.string(), why);
  };
  struct stat status {};
  if (fd < 0 || fstat(fd, &status) != 0) fail(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail("it is no regular file");  // a pipe or a device has no end
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > 0) {
    void* memory = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (memory == MAP_FAILED) fail(std::strerror(errno));
    data_ = static_cast<const char*>(memory);
  }
  close(fd);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

std::string uncompressed_name(const std::string& name) {
  for (const Compression& each : kCompressions)
    if (name.ends_with(each.end)) return name.substr(0, name.size() - each.end.size());
  return {};
}

FileContent::FileContent(const fs::path& path, const std::string& name, const fs::path& scratch) {
  file_.emplace(path);
  for (const Compression& each : kCompressions)
    if (name.ends_with(each.end) && file_->bytes().starts_with(each.mark)) unpacked_by_ = each.program;
  const std::string& program = unpacked_by_;
  if (program.empty()) return;
  if (!support::find_program(program))
    throw support::Error("{} cannot be unpacked: {} is missing; install it", name, program);
  folder_.emplace(scratch, ".unpacked");
  const fs::path copy = folder_->path() / "content";
  const auto result = support::run({.argv = {"sh", "-c", "exec \"$1\" -d -c < \"$2\" > \"$3\"", "sh", program,
                                             path.string(), copy.string()}});
  if (result.status != 0)
    throw support::Error("{} cannot be unpacked: {} says '{}'", name, program, first_line(result.output));
  file_.emplace(copy);
}

}  // namespace overlay
