// The replaced routines of a patched source, and the comparison of each with its stock body.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace prove {

/// One replaced routine: the patched tree's text of it, which is `#if __RANMARLIB__`, replacement, `#else`,
/// stock body, `#endif`.
struct Routine {
  std::string name;         ///< as the program calls it, upper case; of two names the one without __QGSII__
  std::string kind;         ///< function, vector, rmmard, rmmaqd, g900gt, g900st
  bool real = false;        ///< a function whose result is REAL
  std::string second_name;  ///< name under __QGSII__, where the routine has two (QGRAN; `name` is PSRAN)
  std::vector<std::string> entries;  ///< names of its ENTRY points
  /// RNM_SEQUENCE: a number, or "lseq", and then the routine makes sense under CONEX only; empty where it has
  /// none.
  std::string sequence;
  std::string text;
};

/// A choice of preprocessor options under which routines are compiled and compared.
struct Variant {
  std::string name;
  bool conex = false;             ///< __CONEX__
  bool many = false;              ///< __MULTITHIN__ and __QGSII__: KSEQ is 16, and second names hold
  std::vector<Routine> routines;  ///< no two of one name
};

/// Compiles a variant's routines to the shared library `library`. `replaced`: with __RANMARLIB__ defined, and
/// linked by the link line of the build; else the stock bodies. `tree`: of CORSIKA, for its include files.
/// `flags`: Fortran's. `work`: a folder for sources. Throws std::runtime_error with the compiler's message.
void compile_side(const Variant& variant, bool replaced, const std::filesystem::path& tree,
                  const std::filesystem::path& work, const std::string& flags,
                  const std::filesystem::path& library);

/// RMMAQD's option, in the order of PRVAQD in probe.F: ' ' default seed, 'S' seed, 'SV' read the whole state
/// from unit 11, 'R' tell seed and counters, 'RV' write the whole state to unit 11, 'V' nothing.
enum Option { kDefault = 1, kSeed, kReadBack, kRead, kWriteOut, kVectorAlone };

/// One side of the comparison: a loaded library of routines, stock or replaced, with its own COMMONs. Two
/// sides live in one process without seeing each other's symbols.
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

/// How often each routine was compared.
using Tally = std::map<std::string, std::uint64_t>;

/// Calls random routines of the variant `draws` times, the same ones on both sides. Among the calls are
/// lengths of zero and below, sequence numbers of zero and out of range, reseeds, dumps and restores of the
/// state, and other sequences of CONEX. Compares every result, the sequence used last and all counters.
/// choice: seed of the random choices. `work`: a folder for the dumps. Throws std::runtime_error at the first
/// difference.
Tally compare_draws(const Variant& variant, const Side& stock, const Side& replaced, std::uint64_t draws,
                    std::uint32_t choice, const std::filesystem::path& work);

}  // namespace prove
