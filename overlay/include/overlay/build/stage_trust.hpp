// What the patcher says of the Cherenkov stage in a tree. Reads the manifest of a patch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace overlay {

/// The stage's tier and trust in a tree: docs/cherenkov.md#tier-and-trust.
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

/// Throws support::Error where the manifest cannot be read.
StageTrust stage_trust(const std::filesystem::path& manifest);

}  // namespace overlay
