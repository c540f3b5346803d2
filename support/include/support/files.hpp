// Whole files: read, and written in one piece.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace support {

/// What is at a path; nothing where the system does not let us look: no right, a ring of links, too long a
/// name.
std::filesystem::file_status status_of(const std::filesystem::path& path);

/// All bytes of a file. Throws Error where it cannot be read.
std::string read_file(const std::filesystem::path& file);

/// Writes a file whole or not at all: writes a temporary file in the same folder, then renames it to `file`.
/// A file that holds `text` already is left alone. Throws Error where it cannot be written.
void write_file(const std::filesystem::path& file, const std::string& text);

/// Deletes a file or an empty folder of ours; one that is not there is no error. Throws Error where it
/// cannot.
void delete_file(const std::filesystem::path& file);

/// Whether the disk of a folder is full: less than 64 KiB are free (a record and a line of a log take that),
/// or `said` says so ("No space left", "Disk quota"). `said`: what a program printed, or an error's text.
bool disk_is_full(const std::filesystem::path& folder, const std::string& said);

/// Twelve random hexadecimal digits, for names that nobody else takes. Throws Error where the system gives no
/// random numbers.
std::string random_name();

/// Makes `folder`, and the folders above it that are missing. The destructor removes those that it made and
/// that are empty by then, so that a failed step leaves nothing; folders that were there before stay. Throws
/// Error, which names the option, where they cannot be made.
class NewFolders {
 public:
  explicit NewFolders(const std::filesystem::path& folder, const char* option = "--out");
  ~NewFolders();
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  // outermost first
};

}  // namespace support
