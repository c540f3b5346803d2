// Names and codes of particles that cards begin showers with.
#include <utility>

#include "overlay/card/card.hpp"
#include "support/error.hpp"

namespace overlay {
namespace {

constexpr std::pair<const char*, long> kParticles[] = {
    {"gamma", 1},        {"positron", 2},     {"electron", 3},     {"mu+", 5},         {"mu-", 6},
    {"neutron", 13},     {"proton", 14},      {"helium", 402},     {"lithium", 703},   {"beryllium", 904},
    {"boron", 1105},     {"carbon", 1206},    {"nitrogen", 1407},  {"oxygen", 1608},   {"neon", 2010},
    {"sodium", 2311},    {"magnesium", 2412}, {"aluminium", 2713}, {"silicon", 2814},  {"phosphorus", 3115},
    {"sulfur", 3216},    {"argon", 4018},     {"calcium", 4020},   {"titanium", 4822}, {"chromium", 5224},
    {"manganese", 5525}, {"iron", 5626}};

}  // namespace

bool has_too_many_protons(long code) {
  constexpr long kFirstNucleus = 200;
  return code >= kFirstNucleus && code % 100 * 3 > code / 100 * 2;
}

std::string particle_code(const std::string& text) {
  for (const auto& [name, code] : kParticles)
    if (upper_case(text) == upper_case(name)) return std::to_string(code);
  constexpr long kLargest = 25099;  // of CONEX
  const long code = card_integer(text, 0);
  if (code < 1 || code > kLargest || has_too_many_protons(code))
    throw support::Error(
        "no primary is called '{}'; give gamma, electron, proton, helium, nitrogen, silicon, iron, ..., or "
        "CORSIKA's code",
        text);
  return std::to_string(code);
}

std::string particle_name(const std::string& code) {
  for (const auto& [name, known] : kParticles)
    if (code == std::to_string(known)) return name;
  return code;
}

}  // namespace overlay
