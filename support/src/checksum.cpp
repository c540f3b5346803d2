#include "support/checksum.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <vector>

#include "support/error.hpp"
#include "support/process.hpp"

namespace support {

/// A checksum of any kind that OpenSSL has.
class Digest {
 public:
  explicit Digest(const EVP_MD* kind) : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), kind, nullptr) != 1)
      throw Error("OpenSSL does not offer this checksum here; check the installation of libssl");
  }
  void update(const void* data, std::size_t size) { EVP_DigestUpdate(context_.get(), data, size); }
  std::string hexadecimal() {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(context_.get(), bytes, &size);
    return fmt::format("{:02x}", fmt::join(bytes, bytes + size, ""));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

namespace {

std::string of_file(const std::filesystem::path& file, const EVP_MD* kind) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw Error("cannot read " + file.string() + ": does it exist, and may you read it?");
  Digest digest(kind);
  std::vector<char> buffer(1 << 20);
  while (stream) {
    check_interrupt();
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    digest.update(buffer.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) throw Error("cannot read " + file.string() + " to its end");
  return digest.hexadecimal();
}

}  // namespace

Sha256::Sha256() : digest_(std::make_unique<Digest>(EVP_sha256())) {}
Sha256::~Sha256() = default;
void Sha256::update(const void* data, std::size_t size) { digest_->update(data, size); }
std::string Sha256::hexadecimal() { return digest_->hexadecimal(); }

std::string sha256_of_file(const std::filesystem::path& file) { return of_file(file, EVP_sha256()); }
std::string md5_of_file(const std::filesystem::path& file) { return of_file(file, EVP_md5()); }

std::string sha256_of_text(const std::string& text) {
  Digest digest(EVP_sha256());
  digest.update(text.data(), text.size());
  return digest.hexadecimal();
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
