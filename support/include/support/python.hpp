#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace support {

/// Runs a Python script that draws with matplotlib, by a python3 that has it. The script is put into `folder`
/// for as long as it runs. Returns why nothing was drawn, in one line, or an empty text.
/// Throws support::Error where the folder cannot be written to.
std::string draw(const std::string& script, const std::vector<std::string>& arguments,
                 const std::filesystem::path& folder);

}  // namespace support
