// Reads the symbol tables of an ELF file.
#include "overlay/attribution/elf_symbols.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "overlay/identity/file_content.hpp"
#include "support/error.hpp"

namespace overlay {
namespace {

/// The i-th record of type T from `offset` on, copied out, as nothing in a file need be aligned.
template <typename T>
bool record(std::string_view bytes, std::uint64_t offset, std::uint64_t i, T& out) {
  if (offset > bytes.size() || (bytes.size() - offset) / sizeof(T) <= i) return false;
  std::memcpy(&out, bytes.data() + offset + i * sizeof(T), sizeof(T));
  return true;
}

std::string text_at(std::string_view bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

}  // namespace

ElfSymbols::ElfSymbols(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::string_view bytes = file.bytes();
  Elf64_Ehdr header{};
  const unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
  if (!record(bytes, 0, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != order)
    throw support::Error(fmt::format("{} is not a 64-bit ELF file of this machine", path.string()));
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (record(bytes, header.e_phoff, i, segment) && segment.p_type == PT_LOAD)
      segments_.push_back({segment.p_offset, segment.p_filesz, segment.p_vaddr});
  }
  Elf64_Shdr names{};
  const bool named = record(bytes, header.e_shoff, header.e_shstrndx, names);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    if (!record(bytes, header.e_shoff, i, section)) break;
    if (named && text_at(bytes, names.sh_offset + section.sh_name) == ".debug_line") has_line_table_ = true;
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    Elf64_Shdr strings{};
    if (!record(bytes, header.e_shoff, section.sh_link, strings)) continue;
    for (std::uint64_t k = 0; k < section.sh_size / sizeof(Elf64_Sym); ++k) {
      Elf64_Sym symbol{};
      if (!record(bytes, section.sh_offset, k, symbol)) break;
      const unsigned type = ELF64_ST_TYPE(symbol.st_info);
      if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0)
        continue;
      functions_.push_back({symbol.st_value, symbol.st_value + symbol.st_size,
                            text_at(bytes, strings.sh_offset + symbol.st_name)});
    }
  }
  std::stable_sort(functions_.begin(), functions_.end(),
                   [](const Function& a, const Function& b) { return a.begin < b.begin; });
}

std::optional<std::uint64_t> ElfSymbols::address_of_offset(std::uint64_t offset) const {
  for (const Segment& segment : segments_)
    if (offset >= segment.offset && offset - segment.offset < segment.size)
      return offset - segment.offset + segment.address;
  return std::nullopt;
}

std::string ElfSymbols::function_at(std::uint64_t address) const {
  auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                [](std::uint64_t value, const Function& f) { return value < f.begin; });
  // Aliases share an address, so look back over a few.
  for (int back = 0; back < 8 && after != functions_.begin(); ++back) {
    --after;
    if (address < after->end) return after->name;
  }
  return {};
}

std::optional<std::uint64_t> ElfSymbols::address_of(const std::string& name) const {
  const auto found = std::find_if(functions_.begin(), functions_.end(),
                                  [&](const Function& function) { return function.name == name; });
  return found == functions_.end() ? std::nullopt : std::optional(found->begin);
}

std::string plain_name(const std::string& symbol) {
  std::string name = symbol.substr(0, symbol.find('.', 1));
  if (name.size() > 1 && name.back() == '_') name.pop_back();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::string demangled(const std::string& symbol) {
  if (symbol.rfind("_Z", 0) != 0) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.substr(0, symbol.find('.')).c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : symbol;
}

}  // namespace overlay
