// Runs nm and addr2line, and reads what they print.

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "overlay/attribution/attribution.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {

ProgramFile::ProgramFile(const std::filesystem::path& file, std::string what)
    : path(file), kind(std::move(what)) {
  std::string line;
  for (const char* table : {"--defined-only", "-D"}) {
    const auto said = support::run_tool({"nm", "-S", table, path.string()});
    if (said.status != 0)
      throw support::Error("nm finds no program in {} (is binutils installed?)", path.string());
    std::istringstream symbols(said.output);
    while (std::getline(symbols, line)) {
      std::uint64_t begin = 0, size = 0;
      char kind = 0;
      int name = 0;
      if (std::sscanf(line.c_str(), "%" SCNx64 " %" SCNx64 " %c %n", &begin, &size, &kind, &name) == 3 &&
          name > 0 && std::strchr("tTwWi", kind) != nullptr)
        functions.emplace(begin, std::pair{begin + size, line.substr(name, line.find('@', name) - name)});
    }
  }
}

std::string ProgramFile::function_at(std::uint64_t address) const {
  auto after = functions.upper_bound(address);
  // Aliases share an address, so look back over a few.
  for (int back = 0; back < 8 && after != functions.begin(); ++back)
    if (address < (--after)->second.first) return after->second.second;
  return {};
}

void ProgramFile::read_lines(const std::map<std::uint64_t, std::uint64_t>& counts) {
  support::Command command{{"addr2line", "-e", path.string(), "-a", "-f", "-i"}};
  for (const auto& [address, count] : counts) command.input += fmt::format("0x{:x}\n", address);
  command.errors = support::Command::Errors::kDropped;
  const auto result = support::run(command);
  lines = result.status == 0 ? parse_addr2line(result.output) : SourceLines();
}

Place ProgramFile::at(std::uint64_t address) const {
  const auto found = lines.find(address);
  return {path.filename().string(), kind, function_at(address),
          found == lines.end() ? std::vector<Frame>() : found->second};
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
      result[address].push_back({line, place.substr(0, place.rfind(':'))});
    }
  }
  return result;
}

}  // namespace overlay
