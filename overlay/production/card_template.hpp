// The card of a production: one text with placeholders, and the values of each setting. Works on text alone.
#pragma once

#include <string>
#include <vector>

#include "overlay/build/profile.hpp"
#include "overlay/production/plan.hpp"

namespace overlay {

/// Grid of a production: every combination is a setting, in the order primary, atmosphere, zenith (the last
/// changes fastest). An empty axis means the profile's or the card's own value.
struct ProductionGrid {
  std::vector<double> zeniths;
  std::vector<int> atmospheres;
  std::vector<std::string> primaries;
};

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
