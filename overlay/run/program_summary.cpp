// What a run's log and standard error say of draws and of light: see the header.
#include "overlay/run/program_summary.hpp"

#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>

namespace overlay {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The whole number in a line behind `key` and `=`; nothing where there is none.
std::optional<std::uint64_t> number_behind(const std::string& line, const std::string& key) {
  const std::size_t at = line.find(key);
  std::uint64_t value = 0;
  if (at == std::string::npos || std::sscanf(line.c_str() + at + key.size(), " = %" SCNu64, &value) != 1)
    return std::nullopt;
  return value;
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
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(who)) continue;
    Summary summary{line, {}};
    std::istringstream words(line.substr(who.size()));
    for (std::string word; words >> word;)
      if (const std::size_t equals = word.find('='); equals != std::string::npos)
        summary.values[word.substr(0, equals)] = word.substr(equals + 1);
    if (summary.values.contains(needed)) result = summary;
  }
  return result;
}

std::optional<Summary> read_summary(const std::filesystem::path& errors, const std::string& who,
                                    const std::string& needed) {
  return parse_summary(text_of(errors), who, needed);
}

std::vector<std::string> read_messages(const std::filesystem::path& errors, const std::string& who,
                                       const std::string& needed) {
  std::vector<std::string> messages;
  std::istringstream in(text_of(errors));
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
  return log_draws(text_of(log));
}

}  // namespace overlay
