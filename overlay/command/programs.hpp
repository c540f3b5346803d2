// Our other programs, which stand in the folder of the running one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace overlay {

/// Folder of the running program.
std::filesystem::path program_folder();

/// Replaces this process by the program of that name beside ours, with these arguments. Throws support::Error
/// where the program is not built or cannot start.
[[noreturn]] void exec_program(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace overlay
