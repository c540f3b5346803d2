#include "support/checksum.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <fstream>

#include "support/error.hpp"
#include "support/process.hpp"

namespace support {

Checksum::Checksum(const char* kind) : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_get_digestbyname(kind), nullptr) != 1)
    throw Error("OpenSSL does not offer {} here; check the installation of libssl", kind);
}

void Checksum::update(std::string_view bytes) {
  EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

std::string Checksum::hexadecimal() {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(context_.get(), bytes, &size);
  return fmt::format("{:02x}", fmt::join(bytes, bytes + size, ""));
}

namespace {

std::string of_file(const std::filesystem::path& file, const char* kind) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw Error("cannot read " + file.string() + ": does it exist, and may you read it?");
  Checksum sum(kind);
  std::vector<char> buffer(1 << 20);
  while (stream) {
    check_interrupt();
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    sum.update({buffer.data(), static_cast<std::size_t>(stream.gcount())});
  }
  if (stream.bad()) throw Error("cannot read " + file.string() + " to its end");
  return sum.hexadecimal();
}

}  // namespace

std::string sha256_of_file(const std::filesystem::path& file) { return of_file(file, "SHA256"); }
std::string md5_of_file(const std::filesystem::path& file) { return of_file(file, "MD5"); }

std::string sha256_of_text(std::string_view text) {
  Checksum sum;
  sum.update(text);
  return sum.hexadecimal();
}

std::string sha256_of_tree(const std::filesystem::path& folder,
                           const std::function<bool(const std::filesystem::path&)>& left_out) {
  namespace fs = std::filesystem;
  std::vector<std::string> lines;
  for (fs::recursive_directory_iterator it(folder), end; it != end; ++it) {
    const fs::path relative = it->path().lexically_relative(folder);
    if (relative.filename() == ".git" || (left_out && left_out(relative))) {
      it.disable_recursion_pending();
      continue;
    }
    const std::string name = relative.string();
    if (it->is_symlink())
      lines.push_back(name + " -> " + fs::read_symlink(it->path()).string());
    else if (it->is_regular_file())
      lines.push_back(name + " " + sha256_of_file(it->path()));
  }
  std::sort(lines.begin(), lines.end());
  return sha256_of_text(join(lines, "\n"));
}

}  // namespace support
