// The facts that a comparison's page begins with: what was simulated, how much of the light could hit, and
// what the machine's load does to the interval.
#include <fmt/format.h>

#include <algorithm>

#include "overlay/card/named_files.hpp"
#include "overlay/report/report.hpp"

namespace overlay {
namespace {

/// The keyword's n-th word, a number as people write it; empty where the card has none.
std::string value_of(const Card& card, const char* keyword, int n) {
  const std::string word = card.word(keyword, n);
  const auto value = card_real(word);
  return value ? fmt::format("{:.10g}", *value) : word;
}

/// The keyword's first two words as "LOW to HIGH UNIT".
std::string range_of(const Card& card, const char* keyword, const char* unit) {
  const std::string low = value_of(card, keyword, 1), high = value_of(card, keyword, 2);
  if (low.empty()) return "";
  return fmt::format("{}{} {}", low, high.empty() || high == low ? "" : " to " + high, unit);
}

std::string primary_of(long number) {
  const auto code = std::to_string(number), name = particle_name(code);
  return number == 0 ? "" : name == code ? "PRMPAR " + code : name;
}

std::string telescopes_of(const Card& card) {
  const auto count = std::ranges::count(card.lines(), "TELESCOPE", &CardLine::keyword);
  const long copies = card.number("CSCAT", 1);
  if (count == 0) return "";
  return std::to_string(count) + (copies > 1 ? fmt::format(", in {} scattered copies", copies) : "");
}

/// A bunch that the stage did not follow reaches no telescope; of the others CORSIKA records those that do.
std::string light_of(const Json& light) {
  const double bunches = number_at(light, "bunches");
  if (!(bunches > 0)) return "";
  return fmt::format("at most {} of {} bunches; all others provably reach no telescope",
                     percent(number_at(light, "traced") / bunches, 2), grouped(light.at("bunches")));
}

/// What load other programs made, and what it does to the interval.
std::string load_of(const Json& report) {
  constexpr double kFew = 0.5, kWhole = 0.95;
  const Json &machine = report.at("machine"), *stock = runs_of(report, "stock");
  if (stock == nullptr || !machine.contains("load_after")) return "";
  const double before = number_at(machine, "load_before"), after = number_at(machine, "load_after");
  const double core = number_at(*stock, "median_cpu_s") / number_at(*stock, "median_wall_s");
  const char* effect =
      std::min(before, after - 1) < kFew && core > kWhole
          ? "hardly any other program ran, so the interval shows the runs' own scatter"
      : report.at("repeats") == 1
          ? "other programs disturbed the runs, and one pair has no interval that shows it"
          : "other programs disturbed the runs, so the interval is wider than on an idle machine";
  return fmt::format(
      "{:.2f} before the first run, {:.2f} at the end, our own included; stock had {} of a core: {}", before,
      after, percent(core, 0), effect);
}

}  // namespace

Json facts_of(const Json& report) {
  const Card card(text_at(report, "card"));
  const std::string slope = value_of(card, "ESLOPE", 1), energies = range_of(card, "ERANGE", "GeV");
  const bool one_energy = energies.find(" to ") == std::string::npos;
  Json facts = Json::array();
  for (const auto& [what, which] : std::vector<std::pair<const char*, std::string>>{
           {"Primary", primary_of(card.number("PRMPAR", 0))},
           {"Energy", energies + (one_energy || slope.empty() ? "" : ", slope " + slope)},
           {"Zenith angle", range_of(card, "THETAP", "degrees")},
           {"View cone", range_of(card, "VIEWCONE", "degrees")},
           {"Models and options",
            fmt::format("{}", fmt::join(report.at("options").get<std::vector<std::string>>(), ", "))},
           {"Atmosphere", atmosphere_file(card)},
           {"Telescopes", telescopes_of(card)},
           {"Light that can hit", light_of(report.at("cherenkov"))},
           {"Load of the machine", load_of(report)}})
    if (!which.empty()) facts.push_back({{"what", what}, {"which", which}});
  return facts;
}

}  // namespace overlay
