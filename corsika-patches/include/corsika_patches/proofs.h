// Proofs of the Cherenkov stage. A proof is a record that N steps were compared with CORSIKA's and none
// differed. Reads files.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace corsika_patches {

/// What one proof says: with these options and routines with these digests, no compared step differed.
struct Proof {
  std::map<std::string, std::string> routines;  ///< name -> digest
  std::set<std::string> options;                ///< macros, as __SLANT__
  std::uint64_t steps = 0;                      ///< how many were compared
  std::string file;
};

/// The proofs in a file that `overlay prove --cherenkov` wrote: one, or a list of them. Throws Error where
/// the file is none, or holds one that did not end equal.
std::vector<Proof> read_proofs(const std::filesystem::path& file);

}  // namespace corsika_patches
