// Writes and reads the text of a journal. Touches no file.
#include "corsika_patches/journal.h"

#include <algorithm>
#include <string_view>

#include "support/checksum.hpp"
#include "support/files.hpp"

namespace corsika_patches {
namespace {

constexpr std::string_view first_line = "corsika-patch journal 2\n";

bool is_hexadecimal(const std::string& text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// The text up to the next NUL, which is passed; nullopt where there is none.
std::optional<std::string> field(std::string_view& text) {
  const auto end = text.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  std::string out(text.substr(0, end));
  text.remove_prefix(end + 1);
  return out;
}

}  // namespace

std::string Journal::text() const {
  std::string out(first_line);
  const auto put = [&](const std::string& value) {
    out += value;
    out += '\0';
  };
  put(direction == Direction::undo ? "undo" : "redo");
  put(token);
  for (const auto& file : files) {
    put(file.name);
    put(file.before);
    put(file.after);
  }
  return out + support::sha256_of_text(out) + "\n";
}

std::optional<Journal> Journal::read(const std::string& text) {
  constexpr std::size_t tail = 64 + 1;
  if (text.size() < first_line.size() + tail || !text.starts_with(first_line)) return std::nullopt;
  const auto body = text.substr(0, text.size() - tail);
  if (text.substr(body.size()) != support::sha256_of_text(body) + "\n") return std::nullopt;
  std::string_view rest = std::string_view(body).substr(first_line.size());
  Journal journal;
  const auto direction = field(rest);
  const auto token = field(rest);
  if (!direction || !token || (*direction != "undo" && *direction != "redo") || !is_hexadecimal(*token, 16))
    return std::nullopt;
  journal.direction = *direction == "undo" ? Direction::undo : Direction::redo;
  journal.token = *token;
  while (!rest.empty()) {
    auto name = field(rest), before = field(rest), after = field(rest);
    if (!name || !before || !after || name->empty() || !is_hexadecimal(*after, 64)) return std::nullopt;
    journal.files.push_back({std::move(*name), std::move(*before), std::move(*after)});
  }
  return journal;
}

bool Journal::begins_like_one(const std::string& text) {
  const auto common = std::min(text.size(), first_line.size());
  return text.compare(0, common, first_line, 0, common) == 0;
}

std::string Journal::new_token() { return support::random_name(8); }

}  // namespace corsika_patches
