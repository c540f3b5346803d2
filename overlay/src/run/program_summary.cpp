#include "overlay/run/program_summary.hpp"

#include <fstream>
#include <regex>
#include <sstream>

namespace overlay {
namespace {

std::optional<std::string> read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

std::optional<std::uint64_t> Summary::number(const std::string& key) const {
  const auto found = values.find(key);
  if (found == values.end() || found->second.empty() ||
      found->second.find_first_not_of("0123456789") != std::string::npos || found->second.size() > 19)
    return std::nullopt;
  return std::stoull(found->second);
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

std::optional<std::uint64_t> log_draws(const std::string& text) {
  static const std::regex shape(R"(SEQUENCE\s*=\s*(\d+).*CALLS\s*=\s*(\d+)(?:.*BILLIONS\s*=\s*(\d+))?)");
  std::map<int, std::pair<std::uint64_t, std::uint64_t>> counters;  // first and last by sequence
  std::istringstream in(text);
  std::string line;
  while (std::getline(in, line)) {
    std::smatch match;
    if (line.find("SEQUENCE") == std::string::npos || !std::regex_search(line, match, shape)) continue;
    const std::uint64_t value =
        std::stoull(match[2]) + (match[3].matched ? std::stoull(match[3]) * UINT64_C(1000000000) : 0);
    const auto [at, fresh] = counters.try_emplace(std::stoi(match[1]), value, value);
    at->second.second = value;
    (void)fresh;
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
