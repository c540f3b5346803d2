// Short runs that bring every kind of step: cards made from the one that a profile runs. Works on text alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace overlay {

/// What the program under test supports.
struct CardLimits {
  std::vector<std::string> options;  ///< that it was compiled with, by coconut's names
  bool standin = false;              ///< validation/standin: no hadrons, and only atmospheres 0 and 1

  [[nodiscard]] bool has(const std::string& option) const;
};

/// One short run.
struct ProofCard {
  std::string name;  ///< in words: primary, energy, zenith angle, bunch size, ...
  std::string card;
};

/// The number of runs after which every value of every quantity has been used.
constexpr int kCardPeriod = 24;

/// Run `number` (from 0) of an endless, fixed sequence: `card` with another primary, energy, direction, bunch
/// size, atmosphere, set of telescopes, longitudinal distribution, scatter, and with seeds of its own; all
/// else stays. `steps`: about how many steps with light the run is to have; at least one shower is made.
/// Zenith angles go to 70 degrees, with CURVED to 85, less the opening of a VIEWCONE.
ProofCard proof_card(const std::string& card, const CardLimits& limits, int number, std::uint64_t steps);

}  // namespace overlay
