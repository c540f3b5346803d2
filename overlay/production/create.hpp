// The making of a production, and of its card. The folder appears whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "overlay/build/build.hpp"
#include "overlay/build/profile.hpp"
#include "overlay/production/plan.hpp"

namespace overlay {

/// Grid of a production: every combination is a setting, in the order primary, atmosphere, zenith (the last
/// changes fastest). An empty axis means the profile's or the card's own value.
struct ProductionGrid {
  std::vector<double> zeniths;         ///< degrees
  std::vector<int> atmospheres;        ///< numbers of tables
  std::vector<std::string> primaries;  ///< CORSIKA's particle codes
};

/// The options of `overlay production new`.
struct NewProduction : ProductionGrid {
  BuildRequest build;            ///< what to build; showers and energies of a run are its parameters
  std::filesystem::path folder;  ///< of the production; must not be there
  std::int64_t runs = 0;         ///< of each setting
  std::int64_t first_run = 1;
  std::string seeds = "planned";    ///< or "offsets"
  std::int64_t stride = 0;          ///< with offsets: numbers that a sequence of a run may draw
  std::filesystem::path ledger;     ///< empty: default_ledger()
  std::string processors = "same";  ///< ProductionPlan::class_policy
  std::filesystem::path program;    ///< the overlay that becomes bin/overlay
};

/// Builds stock and patched, or takes those that are there, and publishes the production's folder. Throws
/// support::Error before anything is built where an option is wrong.
ProductionPlan create_production(const NewProduction& request);

/// A template with {PLACEHOLDERS}, and what each setting puts there.
struct ProductionCard {
  std::string text;
  std::vector<ProductionSetting> settings;
  int sequences = 0;  ///< that get a SEED line: as in the profile; for a user's own card 4 or more
};

/// The profile's card. `standin` takes the stand-in's. Throws support::Error where a value is out of range,
/// or the card holds a brace.
ProductionCard profile_production_card(const Profile& profile, const Parameters& parameters,
                                       const ProductionGrid& grid, bool standin);

/// A card of the user's own: RUNNR, NSHOW and SEED lines become placeholders, and THETAP, ATMOSPHERE and
/// PRMPAR where the grid says so. USER and HOST lines are taken out, since the telescope file holds the card.
/// Throws support::Error where the card holds a brace.
ProductionCard own_production_card(const std::string& card, const ProductionGrid& grid);

/// Why a card cannot be run on other machines, empty where it can: it has an absolute path or one from `~/`,
/// or writes outside of the run's folder.
std::string card_problem(const std::string& card, const std::vector<std::string>& options);

}  // namespace overlay
