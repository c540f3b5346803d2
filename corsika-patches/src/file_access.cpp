// Opens, reads, makes and renames single files through descriptors of their folders. Knows no transaction.
#include "corsika_patches/file_access.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "corsika_patches/text_file.h"
#include "support/checksum.hpp"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

namespace fs = std::filesystem;
constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

[[noreturn]] void cannot(const char* what, const fs::path& path, int error) {
  throw support::Error(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(error)));
}

/// Writes all bytes; an error number, or 0.
int write_all(int descriptor, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const auto count = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (count == 0) {
      return EIO;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

OpenFolder::OpenFolder(const fs::path& folder)
    : path_(folder), descriptor_(::open(folder.c_str(), folder_flags)) {
  if (descriptor_ < 0) cannot("open", folder, errno);
}

OpenFolder::OpenFolder(const fs::path& file, const fs::path& tree) {
  std::error_code code;
  path_ = fs::canonical(file.parent_path(), code);
  if (code) cannot("write", file, code.value());
  const auto below = path_.lexically_relative(tree);
  if (below.empty() || *below.begin() == "..")
    throw support::Error(fmt::format(
        "{} leads out of the tree through a symbolic link; give a tree that holds it itself", file.string()));
  // Component by component, so that a link that is put there meanwhile is not followed either.
  descriptor_ = ::open(tree.c_str(), folder_flags);
  for (auto part = below.begin(); descriptor_ >= 0 && part != below.end(); ++part) {
    if (*part == ".") continue;
    const int inner = ::openat(descriptor_, part->c_str(), folder_flags);
    const int error = errno;
    ::close(descriptor_);
    descriptor_ = inner;
    errno = error;
  }
  if (descriptor_ < 0) cannot("open", path_, errno);
}

OpenFolder::~OpenFolder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

OpenFolder::OpenFolder(OpenFolder&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OpenFolder::Entry OpenFolder::entry(const std::string& name) const {
  struct stat status {};
  if (::fstatat(descriptor_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) cannot("look at", path_ / name, errno);
    return {};
  }
  return {true, S_ISREG(status.st_mode), status.st_mode & 07777, status.st_uid, status.st_gid};
}

std::string OpenFolder::read(const std::string& name) const {
  const int descriptor = ::openat(descriptor_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) cannot("read", path_ / name, errno);
  return read_descriptor(descriptor, path_ / name);
}

std::optional<std::string> OpenFolder::digest(const std::string& name) const {
  if (!entry(name).regular) return std::nullopt;
  return support::sha256_of_text(read(name));
}

bool OpenFolder::writable(const std::string& name) const {
  return ::faccessat(descriptor_, name.c_str(), W_OK, AT_EACCESS) == 0;
}

int OpenFolder::create(const std::string& name, const std::string& bytes, const Entry& like) const {
  const int descriptor =
      ::openat(descriptor_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return errno;
  int error = write_all(descriptor, bytes);
  // Only root can give files away; elsewhere the new file is its writer's, as after any editor.
  if (error == 0 && like.there && ::fchown(descriptor, like.owner, like.group) != 0 && errno != EPERM)
    error = errno;
  if (error == 0 && ::fchmod(descriptor, like.mode) != 0) error = errno;
  if (error == 0 && ::fsync(descriptor) != 0) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) ::unlinkat(descriptor_, name.c_str(), 0);
  return error;
}

int OpenFolder::duplicate(const std::string& name, const std::string& second) const {
  if (::linkat(descriptor_, name.c_str(), descriptor_, second.c_str(), 0) == 0) return 0;
  if (errno == EEXIST || errno == ENOENT || errno == ENOSPC || errno == EIO || errno == EROFS) return errno;
  return create(second, read(name), entry(name));
}

int OpenFolder::rename(const std::string& from, const std::string& to) const {
  return ::renameat(descriptor_, from.c_str(), descriptor_, to.c_str()) == 0 ? 0 : errno;
}

bool OpenFolder::remove(const std::string& name) const {
  return !entry(name).regular || ::unlinkat(descriptor_, name.c_str(), 0) == 0;
}

int OpenFolder::sync() const {
  // Some file systems refuse to sync a folder; they order names themselves.
  return ::fsync(descriptor_) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

}  // namespace corsika_patches
