// Random cards: what a user may vary that touches light or random numbers. Works on text alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace random_cards {

/// The program that the cards are for.
struct Target {
  std::vector<std::string> options;  ///< that it was compiled with, by coconut's names
  bool standin = false;              ///< validation/standin: no hadrons, fewer keywords
  std::vector<int> atmospheres;      ///< numbers of the tables at hand; may be empty

  [[nodiscard]] bool has(const std::string& option) const;
};

/// A card, and the settings of our libraries that the patched program runs with.
struct RandomCard {
  std::string name;  ///< in words, one line
  std::string card;
  std::map<std::string, std::string> environment;
};

/// Card `number` of a seed: the same text on every machine. The showers of a card have some 50 to 500 GeV of
/// light together, so that a run takes seconds.
RandomCard random_card(const Target& target, std::uint64_t seed, long number);

}  // namespace random_cards
