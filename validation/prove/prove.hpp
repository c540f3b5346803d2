// The replaced routines of a patched source, and the comparison of each with its stock body.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
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

/// How often each routine was compared.
using Tally = std::map<std::string, std::uint64_t>;

/// Calls random routines of the variant `draws` times, the same ones on both sides: in the libraries `stock`
/// and `replaced`, which hold its routines and probe.F. Among the calls are lengths of zero and below,
/// sequence numbers of zero and out of range, reseeds, dumps and restores of the state, and other sequences
/// of CONEX. Compares every result, the sequence used last and all counters. `work`: a folder for the dumps.
/// Throws std::runtime_error at the first difference.
Tally compare_draws(const Variant& variant, const std::filesystem::path& stock,
                    const std::filesystem::path& replaced, std::uint64_t draws,
                    const std::filesystem::path& work);

}  // namespace prove
