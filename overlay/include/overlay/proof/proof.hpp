// Proofs of the Cherenkov stage. A proof is a record that N steps were compared with CORSIKA's, on one tree
// built in one way, and none differed. Written by `overlay prove --cherenkov`, read by builds. Touches the
// files of proofs alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace overlay {

/// What a proof holds for. Another routine, option, compiler, flag or stage needs a proof of its own.
struct ProofConditions {
  std::string stage;  ///< this project's Cherenkov library that was linked: version and checksum
  std::vector<std::string> options;  ///< as the profile asks for them, by coconut's names; in any order
  std::string compiler;              ///< versions of gfortran and gcc
  std::string fflags, cflags;        ///< of the timed builds
};

/// One run of a proof.
struct ProvenRun {
  std::string name;         ///< energy, zenith angle and so on in words
  std::string card;         ///< its input card
  std::uint64_t steps = 0;  ///< that were checked
};

struct Proof {
  ProofConditions conditions;
  std::map<std::string, std::string> routines;  ///< SHA-256 of each routine's statements, by name
  std::vector<std::string> selected;            ///< options that the program was compiled with
  std::string tier;                             ///< whole or bunches
  std::string corsika;                          ///< release
  std::string libm, processor;                  ///< where it was made
  std::string made;                             ///< date and time, UTC
  std::vector<ProvenRun> runs;
  std::uint64_t steps = 0;                     ///< of all runs
  std::map<std::string, std::uint64_t> kinds;  ///< steps, bunches and hits by kind, of all runs
  std::map<std::string, double> cpu_s;         ///< CPU time of all runs: stock, check, stage
};

/// The proof as a file holds it.
std::string proof_text(const Proof& proof);

/// Reads one. Throws support::Error where the file cannot be read or is no proof that ended well.
Proof read_proof(const std::filesystem::path& file);

/// Whether a proof holds for such a build, as far as the options, the compiler and our own stage can tell;
/// the digests of the routines are for the patcher to compare.
bool holds_for(const Proof& proof, const ProofConditions& conditions);

/// The proof's file beside the builds in `folder`.
std::filesystem::path proof_beside(const std::filesystem::path& folder);

/// The user's own list, a folder of proofs: $XDG_CONFIG_HOME/overlay/proofs, by default below ~/.config;
/// empty where there is no home.
std::filesystem::path own_proofs();

/// Files of all proofs that hold for such a build: the one beside the builds in `folder`, then those of the
/// user's own list, by name. What is no proof is passed over.
std::vector<std::filesystem::path> proofs_for(const ProofConditions& conditions,
                                              const std::filesystem::path& folder);

/// Puts a proof into the user's own list; returns its file. Throws support::Error.
std::filesystem::path remember(const Proof& proof);

/// Takes proofs of the same routines that hold for the same build out of `folder` and the user's own list: a
/// difference was found since.
void forget(const Proof& proof, const std::filesystem::path& folder);

}  // namespace overlay
