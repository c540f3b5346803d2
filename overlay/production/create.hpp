// Makes a production: builds both programs, takes seeds, writes the folder. The folder appears whole or not
// at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "overlay/build/build.hpp"
#include "overlay/production/plan.hpp"

namespace overlay {

/// The options of `overlay production new`.
struct NewProduction {
  BuildRequest build;            ///< what to build; showers and energies of a run are its parameters
  std::filesystem::path folder;  ///< of the production; must not be there
  std::int64_t runs = 0;         ///< of each setting
  std::int64_t first_run = 1;
  std::vector<double> zeniths;         ///< degrees; empty: the profile's
  std::vector<int> atmospheres;        ///< numbers of tables; empty: the profile's
  std::vector<std::string> primaries;  ///< CORSIKA's particle codes; empty: the profile's
  std::string seeds = "planned";       ///< or "offsets"
  std::int64_t stride = 0;             ///< with offsets: numbers that a sequence of a run may draw
  std::filesystem::path ledger;        ///< empty: default_ledger()
  std::string processors = "same";     ///< ProductionPlan::class_policy
  std::filesystem::path program;       ///< the overlay that becomes bin/overlay
};

/// Builds stock and patched, or takes those that are there, and publishes the production's folder. Throws
/// support::Error before anything is built where an option is wrong.
ProductionPlan create_production(const NewProduction& request);

}  // namespace overlay
