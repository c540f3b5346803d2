// Runs addr2line and reads what it prints; reads line markers that were turned into Fortran comments.
#include "overlay/attribution/source_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

#include "support/process.hpp"

namespace overlay {
namespace {

/// The number at the beginning of the text; 0 where there is none, or one that is too large.
template <typename Number>
Number number_at(std::string_view text, int base) {
  Number value{};
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

/// The file that a marker names; empty where the line is none.
std::string marked_file(const std::string& line) {
  if (line.size() < 5 || line[0] != '*' || line[1] != ' ') return {};
  std::size_t at = 2;
  while (at < line.size() && std::isdigit(static_cast<unsigned char>(line[at])) != 0) ++at;
  if (at == 2 || at + 1 >= line.size() || line[at] != ' ' || line[at + 1] != '"') return {};
  const std::size_t end = line.find('"', at + 2);
  return end == std::string::npos ? std::string() : line.substr(at + 2, end - at - 2);
}

}  // namespace

std::map<std::uint64_t, std::vector<Frame>> parse_addr2line(const std::string& text) {
  std::map<std::uint64_t, std::vector<Frame>> result;
  std::istringstream in(text);
  std::string line, place;
  std::vector<Frame>* frames = nullptr;
  while (std::getline(in, line)) {
    if (line.rfind("0x", 0) == 0) {
      frames = &result[number_at<std::uint64_t>(std::string_view(line).substr(2), 16)];
      frames->clear();
      continue;
    }
    if (frames == nullptr || !std::getline(in, place)) break;
    Frame frame;
    frame.function = line;
    const std::size_t colon = place.rfind(':');
    frame.file = place.substr(0, colon);
    if (colon != std::string::npos)
      frame.line = number_at<int>(std::string_view(place).substr(colon + 1), 10);
    frames->push_back(frame);
  }
  return result;
}

std::map<std::uint64_t, std::vector<Frame>> source_lines(const std::filesystem::path& object,
                                                         const std::vector<std::uint64_t>& addresses) {
  if (addresses.empty()) return {};
  support::Command command{{"addr2line", "-e", object.string(), "-a", "-f", "-i"}};
  for (const std::uint64_t address : addresses) command.input += fmt::format("0x{:x}\n", address);
  command.errors = support::Command::Errors::kDropped;
  const auto result = support::run(command);
  return result.status == 0 ? parse_addr2line(result.output) : std::map<std::uint64_t, std::vector<Frame>>();
}

LineMarkers::LineMarkers(const std::filesystem::path& file) {
  std::ifstream in(file);
  readable_ = static_cast<bool>(in);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::string name = marked_file(line);
    if (name.empty()) continue;
    const auto known = std::find(files_.begin(), files_.end(), name);
    first_line_[number + 1] = static_cast<int>(known - files_.begin());
    if (known == files_.end()) files_.push_back(name);
  }
}

const std::string& LineMarkers::file_at(int line) const {
  static const std::string none;
  auto after = first_line_.upper_bound(line);
  return after == first_line_.begin() ? none : files_[static_cast<std::size_t>((--after)->second)];
}

}  // namespace overlay
