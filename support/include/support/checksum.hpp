// Checksums of files, texts and folders. Reads what it is given and writes nothing.
#pragma once

#include <filesystem>
#include <string>

namespace support {

/// Checksums of a file or a text, hexadecimal in lower case. Throw Error where a file cannot be read.
std::string sha256_of_file(const std::filesystem::path& file);
std::string md5_of_file(const std::filesystem::path& file);
std::string sha256_of_text(const std::string& text);

/// One checksum of a whole folder: the SHA-256 of the sorted list of its files' relative names and checksums.
/// Links count by what they point to as text; permissions and times do not count. Throws Error where a
/// file or folder cannot be read.
std::string sha256_of_tree(const std::filesystem::path& folder);

}  // namespace support
