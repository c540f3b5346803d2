// flock on the tree's folder; on an empty file in it where folders cannot be locked (NFS), which goes with
// the lock.
#include "corsika_patches/tree_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "support/error.hpp"

namespace corsika_patches {
namespace {

/// 0, or an error number.
int lock(int descriptor) {
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

}  // namespace

TreeLock::TreeLock(const std::filesystem::path& tree) : tree_(tree) {
  if (take_folder() || take_file()) return;
  throw support::Error(
      fmt::format("another corsika-patch is at work in {}; wait for it to end", tree.string()));
}

/// False where another process has it, or where folders cannot be locked here: then descriptor_ is -1.
bool TreeLock::take_folder() {
  descriptor_ = ::open(tree_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0)
    throw support::Error(fmt::format("cannot open {}: {}", tree_.string(), std::strerror(errno)));
  const int error = lock(descriptor_);
  if (error == 0) return true;
  ::close(descriptor_);
  descriptor_ = -1;
  if (error == EWOULDBLOCK)
    throw support::Error(
        fmt::format("another corsika-patch is at work in {}; wait for it to end", tree_.string()));
  return false;
}

bool TreeLock::take_file() {
  file_ = tree_ / ".corsika-patch-lock";
  for (;;) {
    descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor_ < 0)
      return true;  // nobody can write here, or a link holds the name: there is nothing to guard with
    if (lock(descriptor_) == EWOULDBLOCK) {
      ::close(descriptor_);
      descriptor_ = -1;
      return false;
    }
    struct stat held {
    }, named{};
    // Its last holder may have removed it between open and lock: then the name belongs to nobody, or to
    // another file.
    if (::fstat(descriptor_, &held) == 0 && ::lstat(file_.c_str(), &named) == 0 &&
        held.st_ino == named.st_ino)
      return true;
    ::close(descriptor_);
  }
}

TreeLock::~TreeLock() {
  if (descriptor_ < 0) return;
  struct stat held {};
  if (!file_.empty() && ::fstat(descriptor_, &held) == 0 && held.st_size == 0) ::unlink(file_.c_str());
  ::close(descriptor_);
}

}  // namespace corsika_patches
