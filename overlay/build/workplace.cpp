#include "overlay/build/workplace.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "support/error.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {

void message(const std::string& line) {
  fmt::print(stderr, "overlay: {}\n", line);
  std::fflush(stderr);
}

void report_full_disk(const std::filesystem::path& out) {
  throw support::Error(
      "no space left in {}; free some (all builds of one profile take about 1 GB) or give --out "
      "DIR elsewhere",
      out.string());
}

Workplace::Workplace(const std::filesystem::path& folder, const std::string& unfinished)
    : made_(folder), lock_(folder, [&](const std::string& who) {
        message(fmt::format("waiting for {}, which works in {}", who, folder.string()));
      }) {
  constexpr std::size_t kAdded = 7;  // "-abcdef"
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(unfinished + "-") && name.size() == unfinished.size() + kAdded &&
        !entry.is_symlink() && entry.is_directory())
      support::remove_folder(entry.path());
  }
}

}  // namespace overlay
