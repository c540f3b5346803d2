// Input cards: reading, the files that they name, and the cards that are made of them. The input is a card.
#include "overlay/card/card.hpp"

#include "fuzz.hpp"
#include "overlay/card/card_files.hpp"
#include "overlay/production/card_template.hpp"
#include "overlay/run/telescope_pipe.hpp"

namespace fuzz::card {
namespace {

using overlay::Card;

/// Reading a card again from its own lines gives the same lines.
void read_again(const Card& card) {
  std::string text;
  for (const auto& line : card.lines()) {
    text += line.keyword + line.rest;
    if (text.ends_with('\r')) return;  // a second one before the line's end, or the 512th character
    text += "\n";
  }
  const Card again(text);
  fuzz::require(again.lines().size() == card.lines().size(),
                "a card has the same lines when it is read again", text);
  for (std::size_t i = 0; i < card.lines().size(); ++i)
    fuzz::require(
        again.lines()[i].keyword == card.lines()[i].keyword && again.lines()[i].rest == card.lines()[i].rest,
        "a card's lines say the same when they are read again", text);
}

void change(const std::string& text, const Card& card) {
  const auto three = overlay::card_with_showers(text, 3);
  fuzz::require(Card(three).showers() == 3, "NSHOW that was put in is read back", three);
  fuzz::require(overlay::card_with_showers(three, 3) == three, "the same NSHOW twice is as once", three);
  fuzz::require(Card(three).run_number() == card.run_number(), "another NSHOW leaves the run's number",
                three);
  const auto low = overlay::card_of_one_low_shower(text);
  fuzz::require(Card(low).showers() == 1, "the card of one low shower asks for one", low);
  const auto seeds = overlay::card_with_lines(text, "SEED", {"SEED 7 0 0", "SEED 8 0 0"});
  std::size_t count = 0;
  const Card with_seeds(seeds);
  for (const auto& line : with_seeds.lines()) count += line.keyword == "SEED" ? 1 : 0;
  fuzz::require(count == 2, "of SEED lines those that were put in are left", seeds);
}

void light(const std::string& text, const Card& card) {
  fuzz::require(!overlay::telescope_output(card).empty(), "the light goes somewhere", text);
  overlay::with_variables(overlay::telescope_output(card), card);
  const auto command = overlay::telescope_command(card);
  const auto piped = overlay::card_with_telescope_pipe(text);
  if (!command) fuzz::require(piped == text, "a card without a command stays as it is", piped);
  overlay::outputs_elsewhere(text, {"IACT", "CERENKOV", "TELESCOPE"});
  for (const auto& name : overlay::input_files(card))
    fuzz::require(!name.empty() && name.find('/') == std::string::npos, "an input file is a plain name",
                  name);
}

}  // namespace

FUZZ_TARGET(card) {
  const std::string text = input.rest();
  const Card card(text);
  fuzz::require(card.showers() >= 1, "a card asks for a shower", text);
  card.atmosphere();
  read_again(card);
  change(text, card);
  light(text, card);
  fuzz::refusal([&] { overlay::card_problem(text, {"IACT", "CERENKOV"}); });
  fuzz::refusal([&] { overlay::own_production_card(text, {{20.}, {61}, {"14"}}); });
}

}  // namespace fuzz::card
