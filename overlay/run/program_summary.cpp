// What a run's log and standard error say of draws and of light: see the header.
#include "overlay/run/program_summary.hpp"

#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

namespace overlay {
namespace {

std::optional<std::string> read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The whole number in `text` behind `key`, blanks and `=`; nothing where there is none, or one that is too
/// large.
std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view key) {
  std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  at = text.find_first_not_of(' ', at + key.size());
  if (at == std::string_view::npos || text[at] != '=') return std::nullopt;
  at = text.find_first_not_of(' ', at + 1);
  if (at == std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> Summary::number(const std::string& key) const {
  const auto found = values.find(key);
  if (found == values.end()) return std::nullopt;
  const std::string& text = found->second;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string Summary::text(const std::string& key) const {
  const auto found = values.find(key);
  return found == values.end() ? std::string() : found->second;
}

std::optional<Summary> parse_summary(const std::string& text, const std::string& who,
                                     const std::string& needed) {
  std::optional<Summary> result;
  std::istringstream in(text);
  std::string line;
  while (std::getline(in, line)) {
    if (line.rfind(who, 0) != 0) continue;
    Summary summary;
    summary.line = line;
    std::istringstream words(line.substr(who.size()));
    std::string word;
    while (words >> word) {
      const std::size_t equals = word.find('=');
      if (equals != std::string::npos) summary.values[word.substr(0, equals)] = word.substr(equals + 1);
    }
    if (summary.values.count(needed) != 0) result = summary;
  }
  return result;
}

std::optional<Summary> read_summary(const std::filesystem::path& errors, const std::string& who,
                                    const std::string& needed) {
  const auto text = read_text(errors);
  return text ? parse_summary(*text, who, needed) : std::nullopt;
}

std::vector<std::string> read_messages(const std::filesystem::path& errors, const std::string& who,
                                       const std::string& needed) {
  std::vector<std::string> messages;
  std::istringstream in(read_text(errors).value_or(""));
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(who) && !parse_summary(line, who, needed)) messages.push_back(line);
  return messages;
}

std::optional<std::uint64_t> log_draws(const std::string& text) {
  constexpr std::uint64_t kBillion = 1000000000;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> counters;  // first and last by sequence
  std::istringstream in(text);
  std::string line;
  while (std::getline(in, line)) {
    const auto sequence = number_behind(line, "SEQUENCE"), calls = number_behind(line, "CALLS");
    const std::uint64_t billions = number_behind(line, "BILLIONS").value_or(0);
    if (!sequence || !calls || *calls > kBillion || billions > kBillion) continue;  // no line of counters
    const std::uint64_t value = *calls + billions * kBillion;
    const auto [at, fresh] = counters.try_emplace(*sequence, value, value);
    if (!fresh) at->second.second = value;
  }
  if (counters.empty()) return std::nullopt;
  std::uint64_t draws = 0;
  for (const auto& [sequence, range] : counters)
    if (range.second > range.first) draws += range.second - range.first;
  return draws;
}

std::optional<std::uint64_t> read_log_draws(const std::filesystem::path& log) {
  const auto text = read_text(log);
  return text ? log_draws(*text) : std::nullopt;
}

}  // namespace overlay
