// The replaced routines of a patched source, cut out together with their stock bodies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace prove {

/// One replaced routine: the patched tree's text of it, which is `#if __RANMARLIB__`, replacement, `#else`,
/// stock body, `#endif`.
struct Routine {
  std::string name;          ///< as the program calls it, upper case; of two names the one without __QGSII__
  std::string kind;          ///< function, vector, rmmard, rmmaqd, g900gt, g900st
  bool real = false;         ///< a function whose result is REAL
  bool needs_conex = false;  ///< makes sense under CONEX only (uses lseq always)
  std::string second_name;   ///< name under __QGSII__, where the routine has two (QGRAN; `name` is PSRAN)
  std::vector<std::string> entries;  ///< names of its ENTRY points
  std::string sequence;              ///< RNM_SEQUENCE: a number, or "lseq"; empty where it has none
  int line = 0;                      ///< of the block in the patched file
  std::string text;
};

/// All replaced routines of a patched source file, in its order. Throws std::runtime_error if there is none.
std::vector<Routine> routines_of(const std::filesystem::path& patched_source);

}  // namespace prove
