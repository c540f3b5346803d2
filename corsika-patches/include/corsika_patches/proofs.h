// Proofs that the stage does on some tree what CORSIKA does there. Reads files.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace corsika_patches {

/// What one proof says: with these options, routines with these digests do what the stage does.
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
