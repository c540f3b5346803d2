// Function symbols of programs and libraries. Reads the file itself, without tools.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace overlay {

/// Function symbols of a 64-bit ELF program or library: .symtab (static functions too) and .dynsym, and the
/// way from an offset in the file to the address that the symbols and addr2line use.
class ElfSymbols {
 public:
  /// Throws support::Error where the file is not a 64-bit ELF file of this machine's byte order.
  explicit ElfSymbols(const std::filesystem::path& path);

  std::optional<std::uint64_t> address_of_offset(std::uint64_t offset) const;
  /// The function that holds the address, as it is in the table; empty where none does.
  std::string function_at(std::uint64_t address) const;
  /// Where the function of that name begins; empty where the file does not define it.
  std::optional<std::uint64_t> address_of(const std::string& name) const;
  bool has_line_table() const { return has_line_table_; }
  std::size_t size() const { return functions_.size(); }

 private:
  struct Segment {
    std::uint64_t offset, size, address;
  };
  struct Function {
    std::uint64_t begin, end;
    std::string name;
  };
  std::vector<Segment> segments_;
  std::vector<Function> functions_;  ///< sorted by begin
  bool has_line_table_ = false;
};

/// A function's plain name: without what the compiler appends (.constprop.0, .cold, ...) and without
/// Fortran's trailing underscore, in lower case.
std::string plain_name(const std::string& symbol);

/// The C++ name behind a mangled one, else the symbol itself.
std::string demangled(const std::string& symbol);

}  // namespace overlay
