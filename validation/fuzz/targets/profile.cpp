// Profiles, and the cards that they make. The input is a TOML file, a line =====, and a card template.
#include "overlay/build/profile.hpp"

#include "fuzz.hpp"
#include "overlay/card/card.hpp"
#include "overlay/production/create.hpp"

namespace fuzz::profile {
namespace {

using namespace overlay;

void check_card(const Profile& profile, bool standin) {
  std::string card;
  if (fuzz::refusal([&] { card = render_card(profile, standin); })) return;
  const auto values = card_values(profile, standin);
  const Card read("NSHOW " + values.at("NSHOW") + "\n" + values.at("SEEDS") + "\n");
  fuzz::require(read.showers() == std::max(1L, profile.showers), "the card asks for the profile's showers",
                card);
  std::size_t seeds = 0;
  for (const auto& line : read.lines())
    if (line.keyword == "SEED") {
      ++seeds;
      const long seed = card_integer(card_word(line.rest, 1), 0);
      fuzz::require(seed >= 1 && seed <= 900000000, "a card's seeds are seeds", values.at("SEEDS"));
    }
  fuzz::require(seeds == static_cast<std::size_t>(profile.seeds), "the card has the profile's seeds",
                values.at("SEEDS"));
  fuzz::refusal([&] { profile_production_card(profile, {}, {{0., 20.}, {}, {"1", "14"}}, standin); });
}

}  // namespace

FUZZ_TARGET(profile) {
  const std::string text = input.rest();
  const std::string between = "\n=====\n";
  const auto at = text.find(between);
  fuzz::file("own.card", at == std::string::npos ? "" : text.substr(at + between.size()));
  const auto file = fuzz::file("own.toml", text.substr(0, at));
  Profile profile;
  if (fuzz::refusal([&] { profile = load_profile(file.string()); })) return;
  for (const bool standin : {false, true}) check_card(profile, standin);
  Parameters parameters;
  parameters.showers = 7;
  parameters.zenith = 20.;
  parameters.atmosphere = 61;
  parameters.seed = 5;
  fuzz::refusal([&] { read_energy_range("300,3000", parameters); });
  fuzz::refusal([&] { check_card(with_parameters(profile, parameters), false); });
  parameters.production_energies = true;
  fuzz::refusal([&] { check_card(with_parameters(profile, parameters), true); });
}

}  // namespace fuzz::profile
