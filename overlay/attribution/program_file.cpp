// Runs nm, readelf and addr2line, and reads what they print; reads line markers that were turned into
// comments.
#include "overlay/attribution/program_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {

ProgramFile::ProgramFile(std::filesystem::path path) : path_(std::move(path)) {
  std::string line;
  std::istringstream headers(support::run_tool({"readelf", "-lW", path_.string()}).output);
  for (Segment part; std::getline(headers, line);)
    if (std::sscanf(line.c_str(), " LOAD %" SCNx64 " %" SCNx64 " %*s %" SCNx64, &part.offset, &part.address,
                    &part.size) == 3)
      segments_.push_back(part);
  if (segments_.empty())
    throw support::Error(
        fmt::format("readelf finds no program in {} (is binutils installed?)", path_.string()));
  for (const char* table : {"--defined-only", "-D"}) {
    std::istringstream symbols(support::run_tool({"nm", "-S", table, path_.string()}).output);
    while (std::getline(symbols, line)) {
      std::uint64_t begin = 0, size = 0;
      char kind = 0;
      int name = 0;
      if (std::sscanf(line.c_str(), "%" SCNx64 " %" SCNx64 " %c %n", &begin, &size, &kind, &name) == 3 &&
          name > 0 && std::strchr("tTwWi", kind) != nullptr)
        functions_.push_back({begin, begin + size, line.substr(name, line.find('@', name) - name)});
    }
  }
  std::ranges::stable_sort(functions_, {}, &Function::begin);
}

std::optional<std::uint64_t> ProgramFile::address_of_offset(std::uint64_t offset) const {
  for (const Segment& segment : segments_)
    if (offset >= segment.offset && offset - segment.offset < segment.size)
      return offset - segment.offset + segment.address;
  return std::nullopt;
}

std::string ProgramFile::function_at(std::uint64_t address) const {
  auto after = std::ranges::upper_bound(functions_, address, {}, &Function::begin);
  // Aliases share an address, so look back over a few.
  for (int back = 0; back < 8 && after != functions_.begin(); ++back)
    if (address < (--after)->end) return after->name;
  return {};
}

std::optional<std::uint64_t> ProgramFile::address_of(const std::string& name) const {
  const auto found = std::ranges::find(functions_, name, &Function::name);
  return found == functions_.end() ? std::nullopt : std::optional(found->begin);
}

SourceLines ProgramFile::lines(const std::vector<std::uint64_t>& addresses) const {
  support::Command command{{"addr2line", "-e", path_.string(), "-a", "-f", "-i"}};
  for (const std::uint64_t address : addresses) command.input += fmt::format("0x{:x}\n", address);
  command.errors = support::Command::Errors::kDropped;
  const auto result = support::run(command);
  return result.status == 0 ? parse_addr2line(result.output) : SourceLines();
}

SourceLines parse_addr2line(const std::string& text) {
  SourceLines result;
  std::istringstream in(text);
  std::string line, place;
  std::uint64_t address = 0;
  while (std::getline(in, line)) {
    if (line.starts_with("0x")) {
      address = std::strtoull(line.c_str(), nullptr, 16);
    } else if (std::getline(in, place) && !place.starts_with('?')) {
      const std::size_t colon = std::min(place.rfind(':'), place.size());
      result[address].push_back({line, place.substr(0, colon), std::atoi(place.c_str() + colon + 1)});
    }
  }
  return result;
}

std::optional<std::map<int, std::string>> line_markers(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  std::map<int, std::string> markers;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    int name = 0;
    if (std::sscanf(line.c_str(), "* %*[0-9] \"%n", &name);
        name > 0 && line.find('"', name) != std::string::npos)
      markers[number + 1] = line.substr(name, line.find('"', name) - name);
  }
  return markers;
}

}  // namespace overlay
