#include "corsika_runtime/cherenkov/kept_table.hpp"

#include <gnu/libc-version.h>
#include <unistd.h>

#include <climits>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

namespace cherenkov::corsika {
namespace {

std::uint64_t digest_of(std::span<const double> values) {
  TableKey key;
  key.add(values.data(), values.size_bytes());
  return key.value();
}

}  // namespace

void TableKey::add(const void* data, std::size_t bytes) {
  const auto* at = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) value_ = (value_ ^ at[i]) * 0x100000001b3;
}

TableKey TableKey::of_program() {
  TableKey key;
  std::ifstream program("/proc/self/exe", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(program)), {});
  key.add(bytes.data(), bytes.size());
  const char* version = gnu_get_libc_version();
  key.add(version, std::strlen(version));
  // Variants of a function differ in the last bit of some results.
  for (int i = 1; i < 4096; ++i) {
    const double x = i / 4096.;
    for (const double result : {std::sin(x), std::cos(x), std::tan(x), std::asin(x)}) key.add(result);
  }
  return key;
}

std::string kept_table_path(const char* name, const TableKey& key) {
  char program[PATH_MAX] = "", tail[64];
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return "";
  std::snprintf(tail, sizeof tail, ".%s-%016llx", name, static_cast<unsigned long long>(key.value()));
  return std::string(program) + tail;
}

bool read_kept_table(const std::string& path, std::span<double> values) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t digest = 0;
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
  file.read(reinterpret_cast<char*>(&digest), sizeof digest);
  return file && file.peek() == std::ifstream::traits_type::eof() && digest == digest_of(values);
}

void keep_table(const std::string& path, std::span<const double> values) {
  const std::string part = path + ".part-" + std::to_string(getpid());
  std::ofstream file(part, std::ios::binary);
  const std::uint64_t digest = digest_of(values);
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
  file.write(reinterpret_cast<const char*>(&digest), sizeof digest);
  file.close();
  if (!file || std::rename(part.c_str(), path.c_str()) != 0) std::remove(part.c_str());
}

}  // namespace cherenkov::corsika
