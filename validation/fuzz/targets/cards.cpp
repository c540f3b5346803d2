// Cards and what makes them: input cards, profiles.
#include "fuzz.hpp"
#include "overlay/card/card.hpp"
#include "overlay/production/production.hpp"
#include "overlay/run/runner.hpp"

// Input cards: reading, the files that they name, and the cards that are made of them. The input is a card.
namespace fuzz::card {
namespace {

using overlay::Card;

std::string text_of(const Card& card) {
  std::string text;
  for (const auto& line : card.lines()) text += line.keyword + line.rest + "\n";
  return text;
}

void change(const std::string& text, const Card& card) {
  const auto three = overlay::card_with_showers(text, 3);
  require(Card(three).showers() == 3, "NSHOW that was put in is read back", three);
  require(overlay::card_with_showers(three, 3) == three, "the same NSHOW twice is as once", three);
  require(Card(three).run_number() == card.run_number(), "another NSHOW leaves the run's number", three);
  const auto low = overlay::card_of_one_low_shower(text);
  require(Card(low).showers() == 1, "the card of one low shower asks for one", low);
  const auto seeds = overlay::card_with_lines(text, "SEED", {"SEED 7 0 0", "SEED 8 0 0"});
  std::size_t count = 0;
  const Card with_seeds(seeds);
  for (const auto& line : with_seeds.lines()) count += line.keyword == "SEED" ? 1 : 0;
  require(count == 2, "of SEED lines those that were put in are left", seeds);
}

void light(const std::string& text, const Card& card) {
  require(!overlay::telescope_output(card).empty(), "the light goes somewhere", text);
  overlay::with_variables(overlay::telescope_output(card), card);
  overlay::telescope_command(card);
  overlay::card_with_command_behind(text, "sh ./light-pipe");
  overlay::outputs_elsewhere(text, {"IACT", "CERENKOV", "TELESCOPE"});
  for (const auto& file : overlay::named_files(card))
    require(!file.name.empty(), "what is named has a name", text);
  for (const auto& folder : overlay::output_folders(card))
    require(overlay::stays_in_folder(folder), "a folder that is made lies in the run folder", folder);
  overlay::unquoted_command(card);
  overlay::card_refusal(text, corsika_patches::FixedFormSource(corsika_patches::TextFile(text)), {"IACT"},
                        {"CURVED"});  // the text is a source, too
}

}  // namespace

FUZZ_TARGET(card) {
  const std::string text = input.rest();
  const Card card(text);
  require(card.showers() >= 1, "a card asks for a shower", text);
  card.atmosphere();
  if (const auto lines = text_of(card); lines.find("\r\n") == std::string::npos)
    require(text_of(Card(lines)) == lines, "a card has the same lines when it is read again", lines);
  change(text, card);
  light(text, card);
  refusal([&] { overlay::card_problem(text, {"IACT", "CERENKOV"}); });
  overlay::Profile own;
  own.card_template = text;
  refusal([&] { overlay::production_card(own, {}, {{20.}, {61}, {"14"}}); });
}

}  // namespace fuzz::card

// Profiles, and the cards that they make. The input is a TOML file, a line =====, and a card template.
namespace fuzz::profile {
namespace {

using namespace overlay;

void check_card(const Profile& profile) {
  std::string card;
  if (refusal([&] { card = render_card(profile); })) return;
  const auto values = card_values(profile);
  const Card read("NSHOW " + values.at("NSHOW") + "\n" + values.at("SEEDS") + "\n");
  require(read.showers() == std::max(1L, profile.showers), "the card asks for the profile's showers", card);
  std::size_t seeds = 0;
  for (const auto& line : read.lines())
    if (line.keyword == "SEED") {
      ++seeds;
      const long seed = card_integer(card_word(line.rest, 1), 0);
      require(seed >= 1 && seed <= 900000000, "a card's seeds are seeds", values.at("SEEDS"));
    }
  require(seeds == static_cast<std::size_t>(profile.seeds), "the card has the profile's seeds",
          values.at("SEEDS"));
  refusal([&] { production_card(profile, {}, {{0., 20.}, {}, {"1", "14"}}); });
}

}  // namespace

FUZZ_TARGET(profile) {
  const std::string text = input.rest();
  const std::string between = "\n=====\n";
  const auto at = text.find(between);
  scratch_file("own.card", at == std::string::npos ? "" : text.substr(at + between.size()));
  const auto file = scratch_file("own.toml", text.substr(0, at));
  BuildRequest parameters;
  parameters.showers = 7;
  parameters.zenith = 20.;
  parameters.atmosphere = 61;
  parameters.seed = 5;
  for (const bool standin : {false, true}) {
    Profile profile;
    if (refusal([&] { profile = load_profile(file.string(), standin); })) continue;
    check_card(profile);
    parameters.energies = standin ? "production" : "300,3000";
    refusal([&] { check_card(with_parameters(profile, parameters)); });
  }
}

}  // namespace fuzz::profile
