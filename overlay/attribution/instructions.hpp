// Which instruction may have run before another one. Runs objdump on a program or library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace overlay {

/// Something that can have run right before an instruction.
struct Predecessor {
  enum class Kind {
    instruction,  ///< the instruction at `address`
    function,     ///< the function that begins at `address`, which has just returned
    library       ///< the function `name` of another object, which has just returned
  };
  Kind kind = Kind::instruction;
  std::uint64_t address = 0;  ///< as symbols and addr2line use it; 0 for library
  std::string name;           ///< library only
  bool falls_through =
      false;  ///< it stands before in the listing, and control falls through: no jump, no call

  bool operator==(const Predecessor&) const = default;
};

/// The instructions of a program or library: how control can reach each of them.
///
/// An interrupt is taken once the oldest unfinished instruction is done, so a sampled program counter names
/// the instruction after the one that was waited for (the skid). before() names that one.
class Instructions {
 public:
  /// Reads what `objdump -d --no-show-raw-insn` prints for x86-64 or aarch64. Empty for other processors.
  explicit Instructions(std::string_view listing);

  bool empty() const { return instructions_.empty(); }
  std::size_t size() const { return instructions_.size(); }

  /// All known predecessors of the instruction at the address, the one that falls through first, then sources
  /// of direct jumps and calls by address. Return from an indirect call, indirect jumps and callers in other
  /// objects are not known. Empty where none is known or no instruction begins there.
  std::vector<Predecessor> before(std::uint64_t address) const;

 private:
  enum class Flow : unsigned char { next, padding, branch, call, indirect_call, away };
  struct Instruction {
    std::uint64_t address = 0, target = 0;
    Flow flow = Flow::next;
    bool first = false;  ///< of a function, or after a gap
  };
  struct Edge {
    std::uint64_t to, from;
  };

  Instruction read(std::uint64_t address, std::string_view text, bool aarch64) const;
  bool is_target(std::uint64_t address) const;
  bool reaches_next(std::size_t at) const;

  std::vector<Instruction> instructions_;       ///< sorted by address
  std::vector<Edge> edges_;                     ///< direct jumps and calls, sorted
  std::map<std::uint64_t, std::string> stubs_;  ///< procedure linkage table: address -> function
  /// The same for functions of the object itself that are chosen by the processor (GNU indirect functions,
  /// such as libm's sin), which objdump calls `*ABS*+0x31c20@plt`: address of the stub -> address of the
  /// resolver, the function that chooses the variant.
  std::map<std::uint64_t, std::uint64_t> own_stubs_;
};

/// Disassembles a program or library with objdump. Empty where binutils are not there or the processor is
/// unknown.
Instructions disassemble(const std::filesystem::path& object);

}  // namespace overlay
