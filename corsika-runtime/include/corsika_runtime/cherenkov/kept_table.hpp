// Tables that a program computes at its start from inputs that seldom change, in files beside the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace cherenkov::corsika {

/// A digest (FNV-1a, 64 bits) of all that a table depends on.
class TableKey {
 public:
  /// Begins with what else decides the bits of a program's results: its own file, the version of the C
  /// library, and the library's sine, cosine, tangent and arc sine as this processor has them.
  static TableKey of_program();

  void add(const void* data, std::size_t bytes);
  template <class T>
  requires std::is_arithmetic_v<T>
  void add(T value) { add(&value, sizeof value); }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// PROGRAM.NAME-KEY, beside this program.
std::string kept_table_path(const char* name, const TableKey& key);

/// Fills `values` from the file. False, and `values` may be anything, where the file is not there, or is not
/// what keep_table() has written for as many values.
[[nodiscard]] bool read_kept_table(const std::string& path, std::span<double> values);

/// Writes the file, whole or not at all: where it cannot, nothing is kept, and nothing is said.
void keep_table(const std::string& path, std::span<const double> values);

}  // namespace cherenkov::corsika
