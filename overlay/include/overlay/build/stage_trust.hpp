// What the patcher says of the Cherenkov stage in a tree. Reads the patch manifest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace overlay {

/// The stage's tier and trust in a tree, as the patcher says (docs/cherenkov.md#tier-and-trust). known: the
/// rules list the digests of the routines that the stage relies on; proven: a proof names them; held off:
/// neither, so the stage is switched off. StagePresence: what was compiled.
struct StageTrust {
  std::string tier;         ///< whole, bunches or none
  std::string trust;        ///< known, proven or "held off"; empty where the tier is none
  std::string reason;       ///< one line; empty for a whole stage that is known or proven
  std::uint64_t steps = 0;  ///< that the proof compared
  std::map<std::string, std::string>
      routines;  ///< SHA-256 of the statements of the routines that it relies on

  bool is_in() const { return tier == "whole" || tier == "bunches"; }
  bool is_held_off() const { return trust == "held off"; }
};

/// Reads a patch manifest. Throws support::Error where it cannot be read.
StageTrust stage_trust(const std::filesystem::path& manifest);

}  // namespace overlay
