// The state of a run, as its manifest and its files say. Manifests alone say which runs are done;
// attempts say which are poisoned.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "overlay/production/manifest.hpp"
#include "overlay/production/plan.hpp"

namespace overlay {

/// How much of a published run is read.
enum class VerifyDepth {
  sizes,   ///< the manifest, and the sizes of the files that it names
  digests  ///< and the checksum of all that they hold
};

/// A run's state.
struct RunState {
  enum class Kind {
    published,  ///< its manifest and files are as they should be
    missing,    ///< there is no manifest
    rejected,   ///< there is one, and it or a file is not right: `reason`
    poisoned    ///< there is none, and two attempts stopped at the same shower: `reason`
  };
  Kind kind = Kind::missing;
  std::string reason;
  std::optional<RunManifest> manifest;  ///< of a published run
};

/// Verifies one run. `digest` is plan_digest() of the folder. Right is a manifest of this plan and of this
/// run (a copy of another's is not), with the planned seeds and showers, whose files are there with their
/// sizes and, where asked, their checksums.
RunState verify_run(const ProductionPlan& plan, const std::filesystem::path& folder,
                    const std::string& digest, std::int64_t run, VerifyDepth depth);

/// Moves the manifest of a rejected run, and the files that carry its number, to quarantine/RUN/, so that the
/// run is made again. Does nothing where there is no manifest. Throws support::Error where it cannot.
void set_aside(const ProductionPlan& plan, const std::filesystem::path& folder, std::int64_t run,
               const std::string& reason);

}  // namespace overlay
