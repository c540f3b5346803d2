// Whole files: read, and written in one piece.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace support {

/// All bytes of a file. Throws Error where it cannot be read.
std::string read_file(const std::filesystem::path& file);

/// Writes a file under a name of its own beside its place and renames it there: whole or not at all. An
/// unchanged file is left alone. Throws Error where it cannot be written.
void write_file(const std::filesystem::path& file, const std::string& text);

/// Deletes a file or an empty folder of ours; one that is not there is no error. Throws Error where it
/// cannot.
void delete_file(const std::filesystem::path& file);

/// Whether the disk of a folder is full: a program or an error said so in `said`, or less is left than a
/// record and a line of a log take (64 KiB).
bool disk_is_full(const std::filesystem::path& folder, const std::string& said);

/// `count` random bytes as hexadecimal digits, for names that nobody else takes.
std::string random_name(int count = 6);

/// Folders that lead to `folder`, made where they are missing. The destructor removes those that it made and
/// that are empty by then, so that a failed step leaves nothing; folders that were there before stay. Throws
/// Error where they cannot be made.
class NewFolders {
 public:
  explicit NewFolders(const std::filesystem::path& folder);
  ~NewFolders();
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  // outermost first
};

}  // namespace support
