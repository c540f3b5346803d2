// Checksums of files, texts and folders. Reads what it is given and writes nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // of OpenSSL

namespace support {

/// The checksum of bytes that come piece by piece.
class Checksum {
 public:
  /// `kind`: as OpenSSL names it. Throws Error where it does not offer that.
  explicit Checksum(const char* kind = "SHA256");
  void update(std::string_view bytes);
  /// Of all that came, hexadecimal in lower case. Ends it: call it once.
  std::string hexadecimal();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

/// Checksums of a file or a text, hexadecimal in lower case. Throw Error where a file cannot be read.
std::string sha256_of_file(const std::filesystem::path& file);
std::string md5_of_file(const std::filesystem::path& file);
std::string sha256_of_text(std::string_view text);

/// One checksum of a whole folder: the SHA-256 of the sorted list of its files' relative names and checksums.
/// .git is left out, and files and folders whose names are `left_out`. Of a link the text that it holds
/// counts; permissions and times do not count. Throws Error where a file cannot be read,
/// std::filesystem::filesystem_error where a folder cannot.
std::string sha256_of_tree(const std::filesystem::path& folder,
                           const std::function<bool(const std::filesystem::path&)>& left_out = {});

}  // namespace support
