// One program at a time in a folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace support {

/// Holds a folder for one `overlay` at a time, among processes of this machine and, where the file system has
/// locks across machines, of others. The lock is advisory (flock on FOLDER/.overlay-lock): the kernel frees
/// it when its holder ends, even by kill -9. The file names the holder and is removed with the lock.
class FolderLock {
 public:
  /// Waits until the folder is free; `waiting`, where given, is called once with who holds it ("process 123
  /// on HOST"); what it throws ends the waiting. A folder that its holder removed is made again. Throws Error
  /// where the folder cannot be written to, Interrupted where a signal asked us to stop.
  explicit FolderLock(const std::filesystem::path& folder,
                      const std::function<void(const std::string&)>& waiting = nullptr);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::filesystem::path file_;
  int fd_ = -1;
};

/// Lowest descriptor of a held lock that is not below `from`; -1 where there is none. A child process closes
/// all descriptors but these, so a lock is free only when all that worked under it have ended. Makes no
/// system call.
int next_lock_descriptor(int from);

}  // namespace support
