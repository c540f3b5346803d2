// The files that a run left in its folder. Reads the folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace overlay {

/// Files of ours in a run folder where TELFIL names a command: runs of ours put a program that keeps the
/// telescope data in the command's place (run/telescope_pipe.hpp). The data are an output, the others are
/// none.
constexpr const char* kPipedTelescopeData = "light-pipe.bytes";
constexpr const char* kPipeProgram = "light-pipe";
constexpr const char* kPipeEnvironment = "light-pipe.environment";
constexpr const char* kPipeEnd = "light-pipe.end";  ///< there once all bytes are in their file

/// All that a program wrote in its run folder: name, relative to the folder, and path of each regular file.
/// What stands there before a run is none: links, the card, and what is ours; gprof's gmon.out is none
/// either. Throws support::Error where the folder cannot be read.
std::map<std::string, std::filesystem::path> output_files(const std::filesystem::path& folder);

/// Whether a file that a log names is among the files, as it is named or compressed (NAME.gz).
bool is_written(const std::string& name, const std::map<std::string, std::filesystem::path>& files);

}  // namespace overlay
