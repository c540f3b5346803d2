#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace support {

/// What an outside program printed.
struct ToolOutput {
  int status = -1;   ///< exit status; 127 where the program is not there, 128 + n where signal n ended it
  std::string text;  ///< standard output
};

/// Runs a helper program (addr2line, gprof, ...) found on PATH, with its standard input from `input` (empty:
/// none). No shell is involved. Standard error is dropped.
ToolOutput run_tool(const std::vector<std::string>& arguments, const std::filesystem::path& input = {});

/// Whether PATH has an executable of that name.
bool have_tool(const std::string& name);

}  // namespace support
