// A folder of ours in which one overlay works at a time, and what its user is told meanwhile.
#pragma once

#include <filesystem>
#include <string>

#include "support/files.hpp"
#include "support/folder_lock.hpp"

namespace overlay {

/// A line on standard error.
void message(const std::string& line);

/// Throws Error that says that the disk of `out` is full.
[[noreturn]] void report_full_disk(const std::filesystem::path& out);

/// Makes the folder where it is missing, waits for others that work in it, and deletes what killed ones left:
/// folders whose names are `unfinished` and what TemporaryFolder adds. Where nothing was put into a new
/// folder, it goes again. Throws as FolderLock does.
class Workplace {
 public:
  explicit Workplace(const std::filesystem::path& folder, const std::string& unfinished = ".unfinished");

 private:
  support::NewFolders made_;
  support::FolderLock lock_;
};

}  // namespace overlay
