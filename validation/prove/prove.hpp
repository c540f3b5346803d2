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
  /// A number; "lseq", and then the routine makes sense under CONEX only; "argument"; empty where it has
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

/// The name of a Fortran routine in a compiled library.
std::string in_library(std::string name);

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

  /// Calls a routine by its name in the library.
  template <class Result = void, class... Arguments>
  Result call(const std::string& name, Arguments... arguments) const {
    return reinterpret_cast<Result (*)(Arguments...)>(symbol(name))(arguments...);
  }
  /// A routine's name in the library: the second one of two under __QGSII__.
  [[nodiscard]] std::string name_of(const Routine& routine) const;
  /// KSEQ, how many sequences the tree keeps, and the sequence used last.
  [[nodiscard]] std::array<std::int32_t, 2> sequences() const {
    std::array<std::int32_t, 2> sequences{};
    call("prvget_", &sequences[0], &sequences[1]);
    return sequences;
  }
  /// Result bits: a double's, or a float's in the low half.
  [[nodiscard]] std::uint64_t function(const Routine& routine) const;
  /// COMMON /CXRANSTO/ under CONEX: 100 reals and 3 counters; empty without.
  [[nodiscard]] std::vector<double> kept_state() const;

 private:
  [[nodiscard]] void* symbol(const std::string& name, bool required = true) const;

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
