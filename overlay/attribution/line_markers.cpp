// Reads line markers that were turned into Fortran comments.
#include "overlay/attribution/line_markers.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>

namespace overlay {
namespace {

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
