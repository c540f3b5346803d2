// What the fuzzing targets share: see the header.
#include "fuzz.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "support/temporary_folder.hpp"

namespace fuzz {

void broken(std::string_view property, std::string_view detail) {
  std::fprintf(stderr, "fuzz: broken: %.*s\n", static_cast<int>(property.size()), property.data());
  if (!detail.empty()) std::fprintf(stderr, "%.*s\n", static_cast<int>(detail.size()), detail.data());
  std::abort();
}

std::uint64_t Input::number(int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes && !rest_.empty(); ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_.front())) << (8 * i);
    rest_.remove_prefix(1);
  }
  return value;
}

std::string Input::take(std::size_t size) {
  std::string text(rest_.substr(0, size));
  rest_.remove_prefix(std::min(size, rest_.size()));
  return text;
}

std::string Input::line() {
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  std::string text(rest_.substr(0, end));
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  return text;
}

const std::filesystem::path& folder() {
  static const support::TemporaryFolder own("overlay-fuzz");
  return own.path();
}

std::filesystem::path file(const std::string& name, std::string_view bytes) {
  auto path = folder() / name;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  require(static_cast<bool>(out), "the scratch folder can be written", path.string());
  return path;
}

}  // namespace fuzz
