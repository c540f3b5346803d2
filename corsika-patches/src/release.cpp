// Finds the release in the files that name it.
#include "corsika_patches/release.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <system_error>

#include "corsika_patches/characters.h"
#include "corsika_patches/statement_text.h"
#include "corsika_patches/text_file.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

/// "7.7410" of a text that begins with 7.7410 or, without `point`, with 77410, and then with nothing that
/// goes on.
std::optional<std::string> release_at(std::string_view text, bool point) {
  if (text.empty() || !digit(text.front())) return std::nullopt;
  std::string out(1, text.front());
  text.remove_prefix(1);
  if (!take_literal(text, ".") && point) return std::nullopt;
  std::size_t size = 0;
  while (size < text.size() && digit(text[size])) ++size;
  if (size < 3 || size > 4 || (size < text.size() && word(text[size]))) return std::nullopt;
  return out + "." + std::string(text.substr(0, size));
}

/// AC_INIT([corsika], [77410]), the brackets left out or not. `text` is in upper case.
std::optional<std::string> from_configure(std::string_view text) {
  constexpr std::string_view call = "AC_INIT";
  for (auto at = text.find(call); at != std::string_view::npos; at = text.find(call, at + 1)) {
    auto rest = text.substr(at + call.size());
    const auto token = [&](std::string_view literal) {
      skip_blanks(rest);
      return take_literal(rest, literal);
    };
    if (!token("(")) continue;
    token("[");
    if (!token("CORSIKA")) continue;
    token("]");
    if (!token(",")) continue;
    token("[");
    skip_blanks(rest);
    if (const auto release = release_at(rest, false)) return release;
  }
  return std::nullopt;
}

/// The first number like 7.7410 or 77410 that stands by itself.
std::optional<std::string> from_version(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] < '5' || text[at] > '9' || (at > 0 && (digit(text[at - 1]) || text[at - 1] == '.')))
      continue;
    if (const auto release = release_at(text.substr(at), false)) return release;
  }
  return std::nullopt;
}

/// #define __CVERSION__ 7.7410
std::optional<std::string> from_source(std::string_view text) {
  for (auto at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    auto rest = text.substr(at + 1);
    skip_blanks(rest);
    if (!take_literal(rest, "DEFINE") || rest.empty() || !is_blank(rest.front())) continue;
    skip_blanks(rest);
    if (!take_literal(rest, "__CVERSION__") || rest.empty() || !is_blank(rest.front())) continue;
    skip_blanks(rest);
    if (const auto release = release_at(rest, true)) return release;
  }
  return std::nullopt;
}

struct Source {
  const char* file;
  std::optional<std::string> (*find)(std::string_view);
};

constexpr Source sources[] = {
    {"configure.ac", from_configure}, {"VERSION", from_version}, {"src/corsika.F", from_source}};

}  // namespace

Release read_release(const std::filesystem::path& tree) {
  for (const auto& source : sources) {
    const auto path = tree / source.file;
    std::error_code code;
    if (!std::filesystem::is_regular_file(path, code)) continue;
    const auto found = source.find(upper(read_bytes(path).substr(0, 20000)));
    if (!found) continue;
    const char minor = (*found)[2];
    if (found->front() != '7' || minor < '4' || minor > '8')
      throw support::Error(fmt::format(
          "{} says that this is CORSIKA {}; the rules are for releases 7.4 to 7.8", path.string(), *found));
    return {*found, source.file};
  }
  return {};
}

}  // namespace corsika_patches
