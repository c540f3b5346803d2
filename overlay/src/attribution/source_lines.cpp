#include "overlay/attribution/source_lines.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <sstream>

#include "support/tool.hpp"

namespace overlay {

std::map<std::uint64_t, std::vector<Frame>> parse_addr2line(const std::string& text) {
  std::map<std::uint64_t, std::vector<Frame>> result;
  std::istringstream in(text);
  std::string line, place;
  std::vector<Frame>* frames = nullptr;
  while (std::getline(in, line)) {
    if (line.rfind("0x", 0) == 0) {
      frames = &result[std::stoull(line, nullptr, 16)];
      frames->clear();
      continue;
    }
    if (frames == nullptr || !std::getline(in, place)) break;
    Frame frame;
    frame.function = line;
    const std::size_t colon = place.rfind(':');
    frame.file = place.substr(0, colon);
    if (colon != std::string::npos) frame.line = std::atoi(place.c_str() + colon + 1);
    frames->push_back(frame);
  }
  return result;
}

std::map<std::uint64_t, std::vector<Frame>> source_lines(const std::filesystem::path& object,
                                                         const std::vector<std::uint64_t>& addresses) {
  if (addresses.empty() || !support::have_tool("addr2line")) return {};
  std::string name = (std::filesystem::temp_directory_path() / "overlay-addresses-XXXXXX").string();
  const int fd = mkstemp(name.data());
  if (fd < 0) return {};
  std::string list;
  for (const std::uint64_t address : addresses) list += fmt::format("0x{:x}\n", address);
  const bool written = write(fd, list.data(), list.size()) == static_cast<ssize_t>(list.size());
  close(fd);
  support::ToolOutput output;
  if (written) output = support::run_tool({"addr2line", "-e", object.string(), "-a", "-f", "-i"}, name);
  unlink(name.c_str());
  if (output.status != 0) return {};
  return parse_addr2line(output.text);
}

}  // namespace overlay
