// Files mapped into memory: see the header.
#include "overlay/identity/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "support/error.hpp"

namespace overlay {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (fd < 0 || fstat(fd, &status) != 0) {
    const int error = errno;
    if (fd >= 0) close(fd);
    throw support::Error("cannot read {}: {}", path.string(), std::strerror(error));
  }
  if (!S_ISREG(status.st_mode)) {  // a pipe or a device has no end
    close(fd);
    throw support::Error("cannot read {}: it is no regular file", path.string());
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > 0) {
    void* memory = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    const int error = errno;
    if (memory == MAP_FAILED) {
      close(fd);
      throw support::Error("cannot map {}: {}", path.string(), std::strerror(error));
    }
    data_ = static_cast<const char*>(memory);
  }
  close(fd);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

}  // namespace overlay
