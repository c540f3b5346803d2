// Finds the release in the files that name it.
#include "corsika_patches/release.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <system_error>
#include <utility>

#include "corsika_patches/statement_text.h"
#include "corsika_patches/text_file.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// The beginning of a file in upper case, each run of blanks shortened to its first one.
std::string beginning(const std::filesystem::path& path) {
  auto text = upper(read_bytes(path).substr(0, 20000));
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return is_blank(a) && is_blank(b); }),
             text.end());
  return text;
}

/// How each file says it. The two groups are 7 and 7410, which a file may write without the point.
const std::pair<const char*, const char*> sources[] = {
    {"configure.ac", R"(AC_INIT\s?\(\s?\[?\s?CORSIKA\s?\]?\s?,\s?\[?\s?(\d)\.?(\d{3,4})(?!\w))"},
    {"VERSION", R"((?:^|[^\d.])([5-9])\.?(\d{3,4})(?!\w))"},
    {"src/corsika.F", R"(#\s?DEFINE\s__CVERSION__\s(\d)\.(\d{3,4})(?!\w))"}};

}  // namespace

std::string read_release(const std::filesystem::path& tree) {
  for (const auto& [file, pattern] : sources) {
    const auto path = tree / file;
    std::error_code code;
    if (!std::filesystem::is_regular_file(path, code)) continue;
    const auto text = beginning(path);
    std::smatch found;
    if (!std::regex_search(text, found, std::regex(pattern))) continue;
    const auto release = found.str(1) + "." + found.str(2);
    if (release[0] != '7' || release[2] < '4' || release[2] > '8')
      throw support::Error(fmt::format(
          "{} says that this is CORSIKA {}; the rules are for releases 7.4 to 7.8", path.string(), release));
    return release;
  }
  return {};
}

}  // namespace corsika_patches
