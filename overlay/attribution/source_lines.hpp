// Source lines of addresses. Runs addr2line on a program or library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace overlay {

/// A function and a place in the sources; the caller of an inlined function is the next frame.
struct Frame {
  std::string function;
  std::string file;  ///< "??" where unknown
  int line = 0;
};

/// Reads what `addr2line -a -f -i` prints: for every address, innermost frame first.
std::map<std::uint64_t, std::vector<Frame>> parse_addr2line(const std::string& text);

/// Asks addr2line about all addresses at once. Empty where binutils are not there.
std::map<std::uint64_t, std::vector<Frame>> source_lines(const std::filesystem::path& object,
                                                         const std::vector<std::uint64_t>& addresses);

}  // namespace overlay
