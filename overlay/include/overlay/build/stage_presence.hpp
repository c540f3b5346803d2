// Whether the Cherenkov stage is in a patched program.
#pragma once

#include <filesystem>
#include <string>

namespace overlay {

/// What of the Cherenkov stage a build holds, and why not all of it.
struct StagePresence {
  enum class Kind {
    kWholeLoop,     ///< the stage takes CORSIKA's loop over the bunches of a step
    kBunchByBunch,  ///< the loop is CORSIKA's; the stage is asked for each bunch
    kLeftOut,       ///< nothing of it is called
  };
  Kind kind = Kind::kLeftOut;
  std::string reason;  ///< empty for the whole loop

  /// "whole loop", "bunch by bunch: REASON", "left out: REASON".
  std::string text() const;
};

/// Looks at what was compiled: `folder` holds tree/, settings.json and manifest.json of a patched build.
/// Throws Error where these cannot be read.
StagePresence stage_of_build(const std::filesystem::path& folder);

}  // namespace overlay
