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

struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  if (!state_->context || EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) != 1)
    throw Error("OpenSSL does not offer this checksum here; check the installation of libssl");
}

Sha256::~Sha256() = default;

void Sha256::update(const void* data, std::size_t size) {
  EVP_DigestUpdate(state_->context.get(), data, size);
}

std::string Sha256::hexadecimal() {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(state_->context.get(), bytes, &size);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

std::string sha256_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw Error("cannot read " + file.string() + ": does it exist, and may you read it?");
  Sha256 sum;
  std::vector<char> buffer(1 << 20);
  while (stream) {
    check_interrupt();
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    sum.update(buffer.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) throw Error("cannot read " + file.string() + " to its end");
  return sum.hexadecimal();
}

std::string sha256_of_text(const std::string& text) {
  Sha256 sum;
  sum.update(text.data(), text.size());
  return sum.hexadecimal();
}

std::string sha256_of_tree(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> lines;
  for (fs::recursive_directory_iterator it(folder), end; it != end; ++it) {
    if (it->path().filename() == ".git") {
      it.disable_recursion_pending();
      continue;
    }
    const std::string name = it->path().lexically_relative(folder).string();
    if (it->is_symlink())
      lines.push_back(name + " -> " + fs::read_symlink(it->path()).string());
    else if (it->is_regular_file())
      lines.push_back(name + " " + sha256_of_file(it->path()));
  }
  std::sort(lines.begin(), lines.end());
  return sha256_of_text(join(lines, "\n"));
}

}  // namespace support
