// Folders for what is needed for a while: made by mkdtemp, deleted with all that is in them.
#include "support/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "support/error.hpp"

namespace support {

TemporaryFolder::TemporaryFolder(const std::string& purpose)
    : TemporaryFolder(std::filesystem::temp_directory_path(), purpose) {}

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent, const std::string& purpose) {
  std::string name = (parent / (purpose + "-XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr)
    throw Error("cannot make a temporary folder in {} ({}); is there space, and may you write there?",
                parent.string(), std::strerror(errno));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() { remove_folder(path_); }

void remove_folder(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) return;
  // Unpacked archives may hold folders that nobody may write to. Links are not followed.
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow, error);
  const auto how = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(folder, how, error), end; !error && it != end; it.increment(error))
    if (std::error_code ignored; it->is_directory(ignored) && !it->is_symlink(ignored))
      fs::permissions(it->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
  fs::remove_all(folder, error);
}

std::filesystem::path TemporaryFolder::write(const std::string& name, const std::string& text,
                                             bool executable) const {
  auto file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  if (executable)
    std::filesystem::permissions(file, std::filesystem::perms::owner_all, std::filesystem::perm_options::add);
  return file;
}

std::string TemporaryFolder::read(const std::string& name) const {
  std::ifstream in(path_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace support
