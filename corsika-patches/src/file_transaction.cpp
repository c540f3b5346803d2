#include "corsika_patches/file_transaction.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "corsika_patches/error.h"
#include "corsika_patches/sha256.h"
#include "corsika_patches/text_file.h"

namespace corsika_patches {
namespace {

namespace fs = std::filesystem;
constexpr const char* suffix = ".corsika-patch-new";
constexpr const char* journal_name = ".corsika-patch-journal";

void die_here_in_a_test(const char* point) {
  const char* wanted = std::getenv("CORSIKA_PATCH_KILL");
  if (wanted != nullptr && std::strcmp(wanted, point) == 0) std::raise(SIGKILL);
}

/// Writes bytes to a new file and to disk; removes it and throws where that fails.
void write_through(const fs::path& path, const std::string& bytes, mode_t mode, const fs::path& named) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) throw Error("cannot write {}: {}; nothing was changed", named.string(), std::strerror(errno));
  int error = 0;
  std::size_t done = 0;
  while (error == 0 && done < bytes.size()) {
    const auto count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (count < 0 && errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0 && ::fchmod(fd, mode) != 0) error = errno;
  if (error == 0 && ::fsync(fd) != 0) error = errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error != 0) {
    ::unlink(path.c_str());
    throw Error("cannot write {}: {}; nothing was changed", named.string(), std::strerror(error));
  }
}

/// Relative to the tree where the file is in it (a tree may be moved), else absolute.
std::string in_tree(const fs::path& tree, const fs::path& file) {
  const auto relative = file.lexically_relative(tree);
  return relative.empty() || relative.begin()->string() == ".." ? fs::absolute(file).string()
                                                                : relative.string();
}

void sync_folder(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

FileTransaction::FileTransaction(fs::path tree) : tree_(std::move(tree)) {}
FileTransaction::~FileTransaction() {
  if (!done_) discard();
}

void FileTransaction::discard() noexcept {
  for (const auto& staged : staged_) ::unlink(staged.temporary.c_str());
  staged_.clear();
}

void FileTransaction::stage(const fs::path& file, const std::string& bytes) {
  struct stat status {};
  mode_t mode = 0644;
  if (::lstat(file.c_str(), &status) == 0) {
    if (S_ISLNK(status.st_mode))
      throw Error("{} is a symbolic link; patch a tree that holds the file itself", file.string());
    mode = status.st_mode & 07777;
    if (::access(file.c_str(), W_OK) != 0)
      throw Error("cannot write {}: {}; nothing was changed", file.string(), std::strerror(errno));
  }
  auto temporary = file;
  temporary += suffix;
  write_through(temporary, bytes, mode, file);
  staged_.push_back({file, temporary, sha256(bytes)});
}

void FileTransaction::commit() {
  die_here_in_a_test("staged");
  nlohmann::json journal;
  for (const auto& s : staged_)
    journal["files"].push_back({{"file", in_tree(tree_, s.file)}, {"sha256", s.sha256}});
  const auto path = tree_ / journal_name;
  auto temporary = path;
  temporary += suffix;
  write_through(temporary, journal.dump(1) + "\n", 0644, path);
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    throw Error("cannot write {}: {}; nothing was changed", path.string(), std::strerror(error));
  }
  sync_folder(tree_);
  die_here_in_a_test("journal");
  done_ = true;  // from here on the journal decides
  for (const auto& s : staged_) {
    if (::rename(s.temporary.c_str(), s.file.c_str()) != 0)
      throw Error("cannot rename {}: {}; free the cause and call again to finish", s.temporary.string(),
                  std::strerror(errno));
    sync_folder(s.file.parent_path());
    die_here_in_a_test("renamed");
  }
  ::unlink(path.c_str());
  sync_folder(tree_);
}

bool FileTransaction::interrupted(const fs::path& tree) {
  std::error_code code;
  return fs::exists(tree / journal_name, code);
}

bool FileTransaction::recover(const fs::path& tree, const std::vector<fs::path>& candidates) {
  const auto path = tree / journal_name;
  bool any = false;
  if (interrupted(tree)) {
    any = true;
    const auto journal = nlohmann::json::parse(read_bytes(path), nullptr, false);
    if (journal.is_discarded() || !journal.contains("files"))
      throw Error("{} cannot be read; take the stock tree again", path.string());
    for (const auto& entry : journal["files"]) {
      const fs::path file = tree / entry.at("file").get<std::string>();
      auto temporary = file;
      temporary += suffix;
      const auto wanted = entry.at("sha256").get<std::string>();
      std::error_code code;
      if (fs::exists(temporary, code)) {
        if (sha256(read_bytes(temporary)) != wanted)
          throw Error("{} was changed since the patch was interrupted; take the stock tree again",
                      temporary.string());
        if (::rename(temporary.c_str(), file.c_str()) != 0)
          throw Error("cannot rename {}: {}; free the cause and call again to finish", temporary.string(),
                      std::strerror(errno));
        sync_folder(file.parent_path());
      } else if (!fs::exists(file, code) || sha256(read_bytes(file)) != wanted) {
        throw Error("{} was changed since the patch was interrupted; take the stock tree again",
                    file.string());
      }
    }
    if (::unlink(path.c_str()) != 0) throw Error("cannot remove {}: {}", path.string(), std::strerror(errno));
    sync_folder(tree);
  }
  auto stale_journal = path;
  stale_journal += suffix;
  if (::unlink(stale_journal.c_str()) == 0) any = true;
  for (auto candidate : candidates) {
    candidate += suffix;
    if (::unlink(candidate.c_str()) == 0) any = true;
  }
  return any;
}

TreeLock::TreeLock(const fs::path& tree) {
  descriptor_ = ::open(tree.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) throw Error("cannot open {}: {}", tree.string(), std::strerror(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    throw Error("another corsika-patch is at work in {}; wait for it to end", tree.string());
  }
}

TreeLock::~TreeLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace corsika_patches
