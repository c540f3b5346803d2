#include "corsika_patches/release.h"

#include <fmt/format.h>

#include <array>
#include <regex>

#include "corsika_patches/text_file.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

struct Source {
  const char* file;
  const char* pattern;  ///< two groups: the digit before and those after the point
};

constexpr std::array sources = {
    Source{"configure.ac", R"(AC_INIT\s*\(\s*\[?\s*corsika\s*\]?\s*,\s*\[?\s*([0-9])\.?([0-9]{3,4})\b)"},
    Source{"VERSION", R"((?:^|[^0-9.])([5-9])\.?([0-9]{3,4})\b)"},
    Source{"src/corsika.F", R"(#\s*define\s+__CVERSION__\s+([0-9])\.([0-9]{3,4})\b)"},
};

}  // namespace

Release read_release(const std::filesystem::path& tree) {
  for (const auto& source : sources) {
    const auto path = tree / source.file;
    std::error_code code;
    if (!std::filesystem::is_regular_file(path, code)) continue;
    const auto text = read_bytes(path).substr(0, 20000);
    std::smatch m;
    if (!std::regex_search(text, m, std::regex(source.pattern, std::regex::icase))) continue;
    Release release{m[1].str() + "." + m[2].str(), source.file};
    const char minor = release.name[2];
    if (release.name[0] != '7' || minor < '4' || minor > '8')
      throw support::Error(
          fmt::format("{} says that this is CORSIKA {}; the rules are for releases 7.4 to 7.8", path.string(),
                      release.name));
    return release;
  }
  return {};
}

}  // namespace corsika_patches
