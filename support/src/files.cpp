// Whole files: read, and written in one piece through a new name beside their place.
#include "support/files.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "support/error.hpp"

namespace support {
namespace fs = std::filesystem;
namespace {

/// Why `text` cannot be written to a new file; 0 where it was.
int write_new(const fs::path& file, const std::string& text) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) return errno;
  int problem = 0;
  for (std::size_t done = 0; done < text.size() && problem == 0;) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n > 0) done += static_cast<std::size_t>(n);
    if (n < 0 && errno != EINTR) problem = errno;
  }
  if (close(fd) != 0 && problem == 0) problem = errno;
  return problem;
}

}  // namespace

fs::file_status status_of(const fs::path& path) {
  std::error_code ignored;
  return fs::status(path, ignored);
}

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  if (stream && stream.peek() != std::ifstream::traits_type::eof()) text << stream.rdbuf();
  if (!stream.is_open() || stream.bad() || text.bad())
    throw Error("cannot read {}: does it exist, and may you read it?", file.string());
  return std::move(text).str();
}

void write_file(const fs::path& file, const std::string& text) {
  if (fs::is_regular_file(status_of(file)) && access(file.c_str(), R_OK) == 0 && read_file(file) == text)
    return;
  auto temporary = file;
  temporary += "." + random_name() + ".tmp";
  int problem = write_new(temporary, text);
  if (problem == 0 && std::rename(temporary.c_str(), file.c_str()) != 0) problem = errno;
  if (problem == 0) return;
  if (problem != EEXIST) unlink(temporary.c_str());
  throw Error("cannot write {} ({}): is there space, and may you write there? (--out DIR goes elsewhere)",
              file.string(), std::strerror(problem));
}

void delete_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) throw Error("cannot delete {} ({}); delete it, and call again", file.string(), error.message());
}

bool disk_is_full(const fs::path& folder, const std::string& said) {
  for (const char* sign : {"No space left", "no space left", "Disk quota"})
    if (said.find(sign) != std::string::npos) return true;
  constexpr std::uintmax_t kLeast = 1 << 16;  // bytes
  std::error_code error;
  return fs::space(folder, error).available < kLeast;  // the most there can be where it is not known
}

std::string random_name() {
  unsigned char bytes[6] = {};
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) throw Error("the system gives no random numbers");
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

NewFolders::NewFolders(const fs::path& folder, const char* option) {
  std::error_code error;
  for (auto at = fs::absolute(folder).lexically_normal(); at != at.parent_path() && !fs::exists(at, error);
       at = at.parent_path())
    if (at.has_filename()) made_.insert(made_.begin(), at);
  fs::create_directories(folder, error);
  if (!error && fs::is_directory(folder, error)) return;
  const std::string reason = error ? error.message() : "it is not a folder";
  for (auto at = made_.rbegin(); at != made_.rend(); ++at) rmdir(at->c_str());
  throw Error("cannot write in {} ({}); give a folder that you may write to with {} DIR", folder.string(),
              reason, option);
}

NewFolders::~NewFolders() {
  for (auto at = made_.rbegin(); at != made_.rend(); ++at) rmdir(at->c_str());
}

}  // namespace support
