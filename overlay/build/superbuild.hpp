// Builds of one profile with one set of flags, made by CMake: overlay/superbuild.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overlay/build/compiler_flags.hpp"
#include "overlay/build/our_library.hpp"
#include "overlay/build/source.hpp"
#include "overlay/proof/proof.hpp"

namespace overlay {

/// One folder of builds.
struct BuildPlan {
  std::filesystem::path base;  ///< folder of this profile and these flags
  std::filesystem::path out;   ///< --out
  std::string title;           ///< for messages: release, profile, flags
  const SourceTree* source = nullptr;
  const OurLibrary* library = nullptr;  ///< null where nothing is patched
  CompilerFlags flags;
  bool stage = true;                 ///< whether the Cherenkov stage may be in patched builds
  std::vector<std::string> options;  ///< of the profile
  std::vector<std::string> builds;   ///< what to make, of known_builds()
  ProofConditions conditions;        ///< of proofs of the Cherenkov stage, without `sources`
  int jobs = 1;
};

/// Makes what is missing or old in plan.base, and nothing else; waits where another overlay works there.
/// Throws Error; where the disk is full, what this call began is taken away again.
void make_builds(const BuildPlan& plan);

}  // namespace overlay
