// The command line of a program that has options alone. CLI11, which takes longer to compile than most such
// programs, is compiled here once for all of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace support {

/// An option that sets a value, which has its default; a flag where that is a bool; an argument where the
/// name has no dashes.
struct CommandOption {
  std::string name;
  std::variant<bool*, int*, std::uint64_t*, double*, std::string*, std::filesystem::path*> value;
  std::string help;
};

/// Ends the program with status 0 where help is asked for. Throws Error where an option is wrong.
void read_options(int argc, char** argv, const std::string& about, const std::vector<CommandOption>& options);

}  // namespace support
