// Where we work: this checkout, its build, and folders in which one overlay works at a time; and what its
// user is told meanwhile. The only unit that has the checkout's paths compiled in: a compiler cache then
// serves the others in any checkout.
#pragma once

#include <cstddef>

#include "support/files.hpp"
#include "support/folder_lock.hpp"

namespace overlay {

/// Folders of our sources and of their build, as they were when this program was built; installed, one folder
/// that holds what is needed of both (overlay/CMakeLists.txt).
std::filesystem::path source_root();
std::filesystem::path build_root();

/// Whether a list, of options by name, has one.
bool contains(const std::vector<std::string>& list, const std::string& what);

/// A line on standard error.
void message(const std::string& line);

/// The words of a text, which blanks separate.
std::vector<std::string> words_of(const std::string& text);

/// Words as one line that a shell reads back.
std::string shell_line(const std::vector<std::string>& words);

/// The words of this process's command line.
std::vector<std::string> typed_words();

/// A command of this program as it must be typed here: this program's name as it was typed, and the words.
std::string to_type(std::vector<std::string> words);

/// A text without what follows its first line.
std::string first_line(const std::string& text);

/// The line of a tool's messages that tells best what is wrong: an error, else the last one; at most 240
/// characters.
std::string telling_line(const std::string& text);

/// A folder as an absolute path without dots and without a slash at its end.
std::filesystem::path absolute_folder(const std::filesystem::path& folder);

/// Throw support::Error where an option's value is none of those known, or is below the least.
void check_one_of(const char* option, const std::string& value, const std::vector<std::string>& known);
void check_least(const char* option, double value, int least);

/// Throws support::Error that says that the disk of `out` is full.
[[noreturn]] void report_full_disk(const std::filesystem::path& out);

/// Calls work(i) for i from 0 to count - 1, in several threads. Throws what one of them throws.
void in_parallel(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work);

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
