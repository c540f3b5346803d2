#include "support/temporary_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "support/error.hpp"

namespace support {

TemporaryFolder::TemporaryFolder(const std::string& purpose) {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  std::string name = ((error ? std::filesystem::path("/tmp") : parent) / (purpose + "-XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr)
    throw Error(fmt::format("cannot make a temporary folder in {} ({}); set TMPDIR to a folder that you may write to",
                            std::filesystem::path(name).parent_path().string(), std::strerror(errno)));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
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
