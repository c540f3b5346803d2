// One side of the comparison: a shared library of routines, stock or replaced, with its own COMMONs.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "routines.hpp"

namespace prove {

/// A choice of preprocessor options under which routines are compiled and compared.
struct Variant {
  std::string name;
  std::vector<std::string> defines;  ///< "__CONEX__=1"
  bool conex = false;
  bool second_names = false;      ///< __QGSII__
  std::vector<Routine> routines;  ///< no two of one name
};

/// Where compilers and headers are.
struct Toolchain {
  std::string fortran = "gfortran";
  std::string cpp = "cpp";
  std::string flags = "-O2";
  std::filesystem::path probe;     ///< folder with probe.F and the stand-in conex.h
  std::filesystem::path includes;  ///< fortran-bindings/include
  std::string link_line;           ///< libraries of the replacements
};

/// Compiles a variant's routines to the shared library `library`. `replaced`: with __RANMARLIB__ defined, and
/// linked by Toolchain::link_line; else the stock bodies. `tree`: of CORSIKA, for its include files. `work`:
/// a folder for sources. Throws std::runtime_error with the compiler's message.
void compile_side(const Variant& variant, bool replaced, const std::filesystem::path& tree,
                  const std::filesystem::path& work, const Toolchain& tools,
                  const std::filesystem::path& library);

/// RMMAQD's option, in the order of PRVAQD in probe.F: ' ' default seed, 'S' seed, 'SV' read the whole state
/// from unit 11, 'R' tell seed and counters, 'RV' write the whole state to unit 11, 'V' nothing.
enum Option { kDefault = 1, kSeed, kReadBack, kRead, kWriteOut, kVectorAlone };

/// A loaded library. Two sides live in one process without seeing each other's symbols.
class Side {
 public:
  Side(const std::filesystem::path& library, const Variant& variant);

  /// KSEQ: how many sequences the tree keeps.
  [[nodiscard]] int kseq() const;
  [[nodiscard]] int last_sequence() const;
  /// Sets FINCNX (whether CONEX is active) and lseq (its sequence). Does nothing without __CONEX__.
  void conex(bool active, std::int32_t sequence) const;
  /// ISEED, ISEQ and CHOPT of RMMAQD, which may change the first two.
  void rmmaqd(std::array<std::int32_t, 3>& seed, std::int32_t& sequence, Option option) const;
  /// Opens and closes unit 11, which RMMAQD reads and writes.
  void open_unit(const std::string& file) const;
  void close_unit() const;
  void rmmard(double* out, std::int32_t n, std::int32_t sequence) const;
  /// Calls a routine of kind "vector": n numbers to `out`.
  void vector(const Routine& routine, double* out, std::int32_t n) const;
  /// Result bits: a double's, or a float's in the low half.
  [[nodiscard]] std::uint64_t function(const Routine& routine) const;
  /// Result of one of Routine::entries, or of G900GT, which keeps the state for EPOS and CONEX.
  [[nodiscard]] double entry(const std::string& name) const;
  /// The function that sets that state.
  [[nodiscard]] double g900st(double seed) const;
  /// COMMON /CXRANSTO/ under CONEX: 100 reals and 3 counters; empty without.
  [[nodiscard]] std::vector<double> kept_state() const;

 private:
  [[nodiscard]] void* symbol(const std::string& name, bool required = true) const;
  [[nodiscard]] std::string name_of(const Routine& routine) const;
  template <class Result, class... Arguments>
  Result call(const std::string& name, Arguments... arguments) const;

  void* handle_;
  bool second_names_;
  mutable std::unordered_map<std::string, void*> known_;
};

}  // namespace prove
