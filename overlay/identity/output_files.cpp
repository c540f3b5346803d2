// The files that a run left: see the header.
#include "overlay/identity/output_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "overlay/identity/compressed_file.hpp"
#include "support/error.hpp"

namespace overlay {
namespace fs = std::filesystem;

std::map<std::string, fs::path> output_files(const fs::path& folder) {
  static const std::set<std::string> kNoOutputs{"card", "gmon.out", kPipeProgram, kPipeEnvironment, kPipeEnd};
  std::map<std::string, fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->is_symlink() || !it->is_regular_file()) continue;
    const std::string name = it->path().lexically_relative(folder).string();
    if (!kNoOutputs.contains(name)) files[name] = it->path();
  }
  if (error) throw support::Error("cannot list the run folder {}: {}", folder.string(), error.message());
  return files;
}

bool is_written(const std::string& name, const std::map<std::string, fs::path>& files) {
  return std::any_of(files.begin(), files.end(), [&](const auto& file) {
    return file.first == name || uncompressed_name(file.first) == name;
  });
}

}  // namespace overlay
