// Whether the Cherenkov stage is in a patched program, and why it may work there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace overlay {

/// What of the Cherenkov stage was compiled into a build, and why not all of it. (StageTrust: what the
/// patcher says.) Terms: docs/cherenkov.md#tier-and-trust.
struct StagePresence {
  enum class Kind {
    kWholeLoop,     ///< the stage takes CORSIKA's loop over the bunches of a step
    kBunchByBunch,  ///< the loop is CORSIKA's; the stage is asked for each bunch
    kLeftOut,       ///< nothing of it is called
  };
  Kind kind = Kind::kLeftOut;
  /// known: the rules list the digests of the routines that the stage relies on; proven: a proof names them;
  /// held off: neither, so the stage is switched off. Empty where nothing is called.
  std::string trust;
  std::string reason;       ///< one line, with what to do; empty for a whole loop that is known or proven
  std::uint64_t steps = 0;  ///< that were compared in the proof

  bool is_held_off() const { return trust == "held off"; }
  /// "whole loop, known", "bunch by bunch, proven by 12 steps: REASON", "whole loop, held off: REASON", "left
  /// out: REASON".
  std::string text() const;
};

/// Looks at what was compiled and at what the patcher said: `folder` holds tree/, settings.json and
/// manifest.json of a patched build. Throws Error where these cannot be read.
StagePresence stage_of_build(const std::filesystem::path& folder);

}  // namespace overlay
