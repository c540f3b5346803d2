// Advisory locks on folders, by flock on a file in them.
#include "support/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "support/error.hpp"
#include "support/process.hpp"

namespace support {
namespace {

constexpr const char* kName = ".overlay-lock";
constexpr int kMostLocks = 16;
std::atomic<int> held[kMostLocks];  // descriptor + 1; 0: free

void replace(int from, int to) {
  for (auto& slot : held) {
    int expected = from;
    if (slot.compare_exchange_strong(expected, to)) return;
  }
}

std::string host() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

/// What the holder wrote about itself.
std::string holder(int fd) {
  char text[300] = {};
  const ssize_t n = pread(fd, text, sizeof text - 1, 0);
  std::string who = n > 0 ? std::string(text, static_cast<std::size_t>(n)) : "";
  who.erase(std::find(who.begin(), who.end(), '\n'), who.end());
  return who.empty() ? "another overlay" : who;
}

/// Whether the file of that name is still the one that is open: its holder removes it with the lock.
bool is_current(int fd, const std::filesystem::path& file) {
  struct stat open_one {
  }, named{};
  return fstat(fd, &open_one) == 0 && stat(file.c_str(), &named) == 0 && open_one.st_dev == named.st_dev &&
         open_one.st_ino == named.st_ino;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder,
                       const std::function<void(const std::string&)>& waiting)
    : file_(folder / kName) {
  for (bool told = false;;) {
    fd_ = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    // The one that we waited for may have removed its empty folder.
    std::error_code error;
    if (fd_ < 0 && errno == ENOENT && told && std::filesystem::create_directories(folder, error)) continue;
    if (fd_ < 0)
      throw Error("cannot write in {} ({}); give --out DIR elsewhere", folder.string(), std::strerror(errno));
    while (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) {
        const int problem = errno;
        close(fd_);
        throw Error("cannot lock {} ({}); give --out DIR on a file system that has locks", file_.string(),
                    std::strerror(problem));
      }
      try {
        if (!told && waiting) waiting(holder(fd_));
        told = true;
        check_interrupt();
      } catch (...) {
        close(fd_);
        throw;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    if (is_current(fd_, file_)) break;
    close(fd_);
  }
  const std::string who = fmt::format("process {} on {}\n", getpid(), host());
  if (ftruncate(fd_, 0) != 0 || pwrite(fd_, who.data(), who.size(), 0) < 0) {
    // A full disk: the lock holds all the same.
  }
  replace(0, fd_ + 1);
}

FolderLock::~FolderLock() {
  unlink(file_.c_str());
  replace(fd_ + 1, 0);
  close(fd_);
}

int next_lock_descriptor(int from) {
  int next = -1;
  for (const auto& slot : held) {
    const int fd = slot - 1;
    if (fd >= from && (next < 0 || fd < next)) next = fd;
  }
  return next;
}

}  // namespace support
