// Checksums of files, texts and folders. Reads what it is given and writes nothing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace support {

/// The SHA-256 of bytes that come piece by piece.
class Sha256 {
 public:
  /// Throws Error where OpenSSL does not offer it.
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(const void* data, std::size_t size);
  /// The checksum of all that came, hexadecimal in lower case. Ends it: call it once.
  std::string hexadecimal();

 private:
  std::unique_ptr<class Digest> digest_;
};

/// Checksums of a file or a text, hexadecimal in lower case. Throw Error where a file cannot be read.
std::string sha256_of_file(const std::filesystem::path& file);
std::string md5_of_file(const std::filesystem::path& file);
std::string sha256_of_text(const std::string& text);

/// One checksum of a whole folder: the SHA-256 of the sorted list of its files' relative names and checksums.
/// .git is left out, and files and folders whose names are `left_out`. Of a link the text that it holds
/// counts; permissions and times do not count. Throws Error where a file cannot be read,
/// std::filesystem::filesystem_error where a folder cannot.
std::string sha256_of_tree(const std::filesystem::path& folder,
                           const std::function<bool(const std::filesystem::path&)>& left_out = {});

}  // namespace support
