// A program or library as binutils see it: functions (nm), segments (readelf), source lines (addr2line) and
// instructions (objdump). Runs these tools, and reads preprocessed sources.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace overlay {

/// A function and a place in the sources; the caller of an inlined function is the next frame.
struct Frame {
  std::string function;
  std::string file;
  int line = 0;
};

/// Source lines by address, innermost frame first.
using SourceLines = std::map<std::uint64_t, std::vector<Frame>>;

/// Reads what `addr2line -a -f -i` prints, without frames whose file is not known.
SourceLines parse_addr2line(const std::string& text);

/// Symbols of a program or library: static functions too, unless it was stripped.
class ProgramFile {
 public:
  /// Throws support::Error where it has no segments: it is none, or binutils are missing.
  explicit ProgramFile(std::filesystem::path path);

  /// The address that symbols and lines use, of an offset in the file.
  std::optional<std::uint64_t> address_of_offset(std::uint64_t offset) const;
  /// The function that holds the address; empty where none does.
  std::string function_at(std::uint64_t address) const;
  /// Where the function of that name begins; empty where the file does not define it.
  std::optional<std::uint64_t> address_of(const std::string& name) const;
  /// Asks addr2line about all addresses at once.
  SourceLines lines(const std::vector<std::uint64_t>& addresses) const;

 private:
  struct Segment {
    std::uint64_t offset, address, size;
  };
  struct Function {
    std::uint64_t begin, end;
    std::string name;
  };
  std::filesystem::path path_;
  std::vector<Segment> segments_;
  std::vector<Function> functions_;  ///< sorted by begin
};

/// By line, from 1, the file that the lines from there on came from, in a preprocessed Fortran source whose
/// line markers were turned into comments:
///     * 12 "some/file.inc" 1
/// gfortran follows true markers (`# 12 "some/file.inc" 1`) by itself, so its line tables name the included
/// file. If CORSIKA is built so that the preprocessed source is kept, its Makefile turns the markers into
/// comments, and line tables hold physical lines. Nothing where the file cannot be read.
std::optional<std::map<int, std::string>> line_markers(const std::filesystem::path& file);

/// Something that can have run right before an instruction: an instruction, or a function that has just
/// returned.
struct Predecessor {
  std::uint64_t address = 0;  ///< of the instruction, or where the function begins
  std::string library{};      ///< the function's name where another object has it; address is then 0
  bool falls_through = true;  ///< it stands before in the listing, or is called from there; else it jumps

  bool operator==(const Predecessor&) const = default;
};

/// The instructions of a program or library: how control can reach each of them.
///
/// An interrupt is taken once the oldest unfinished instruction is done, so a sampled program counter names
/// the instruction after the one that was waited for (the skid). before() names that one.
class Instructions {
 public:
  /// Reads what `objdump -d --no-show-raw-insn` prints for x86-64 or aarch64. Empty for other processors.
  explicit Instructions(const std::string& listing);

  bool empty() const { return instructions_.empty(); }

  /// All known predecessors of the instruction at the address, the one that falls through first, then sources
  /// of direct jumps and calls by address. Return from an indirect call, indirect jumps and callers in other
  /// objects are not known. Empty where none is known or no instruction begins there.
  std::vector<Predecessor> before(std::uint64_t address) const;

 private:
  enum class Flow : unsigned char { next, padding, call, indirect_call, jump, branch };
  struct Instruction {
    std::uint64_t address = 0, target = 0;
    Flow flow = Flow::next;
    bool first = false;  ///< of a function, or after a gap
  };

  static Flow flow_of(const std::string& name, bool aarch64);
  bool reaches_next(std::size_t at) const;

  std::vector<Instruction> instructions_;                       ///< sorted by address
  std::vector<std::pair<std::uint64_t, std::uint64_t>> jumps_;  ///< direct ones and calls: to, from; sorted
  std::map<std::uint64_t, Predecessor> stubs_;                  ///< procedure linkage table, by address
};

/// Disassembles with objdump. Empty where binutils are not there or the processor is unknown.
Instructions disassemble(const std::filesystem::path& object);

}  // namespace overlay
