// Shower runs as data: reads profiles and cards from profiles/, and writes nothing.
#include "overlay/build/profile.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "support/error.hpp"
#include "support/process.hpp"

#ifndef OVERLAY_PROFILES_FOLDER
#define OVERLAY_PROFILES_FOLDER "profiles"
#endif

namespace overlay {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> strings(const toml::table& table, const char* key) {
  std::vector<std::string> result;
  if (const auto* array = table[key].as_array())
    for (const auto& item : *array)
      if (auto text = item.value<std::string>()) result.push_back(*text);
  return result;
}

std::map<std::string, std::string> string_map(const toml::table* table) {
  std::map<std::string, std::string> result;
  if (table == nullptr) return result;
  for (const auto& [key, value] : *table) {
    if (auto text = value.value<std::string>()) {
      result[std::string(key.str())] = *text;
    } else if (auto whole = value.value_exact<std::int64_t>()) {
      result[std::string(key.str())] = std::to_string(*whole);
    } else if (auto number = value.value<double>()) {
      result[std::string(key.str())] = fmt::format("{}", *number);
    }
  }
  return result;
}

std::optional<std::pair<double, double>> range(const toml::table& table, const char* key) {
  const auto* array = table[key].as_array();
  if (array == nullptr || array->size() != 2) return std::nullopt;
  const auto low = array->get(0)->value<double>(), high = array->get(1)->value<double>();
  if (!low || !high) return std::nullopt;
  return std::pair{*low, *high};
}

/// As CORSIKA reads a REAL: always with a point.
std::string real(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".";
  return text;
}

/// A number as profiles write it, whatever the locale ("50." or "1.5E2").
double number_in(const std::string& text, const std::string& profile) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size())
    throw support::Error(
        fmt::format("profile {}: '{}' is not a number; correct its PRODUCTION_EMIN", profile, text));
  return value;
}

std::string by_zenith(const ByZenith& rows, double zenith) {
  for (const auto& [below, value] : rows)
    if (zenith < below) return value;
  return rows.empty() ? "" : rows.back().second;
}

/// Throws Error unless all seeds are distinct and 1 to 900,000,000.
void check_seeds(const Profile& profile) {
  constexpr std::int64_t kLargestSeed = 900000000;
  constexpr int kMostSeeds = 64;  // sequences of the generator
  if (profile.seeds < 0 || profile.seeds > kMostSeeds || profile.seed_step < 1 || profile.seed < 1 ||
      profile.seed > kLargestSeed ||
      std::int64_t{profile.seeds - 1} * profile.seed_step > kLargestSeed - profile.seed)
    throw support::Error(fmt::format(
        "profile {}: its seeds cannot be {} from {} on, {} apart; give at most {} seeds of 1 to {}",
        profile.file.string(), profile.seeds, profile.seed, profile.seed_step, kMostSeeds, kLargestSeed));
}

}  // namespace

fs::path profiles_folder() {
  if (const char* set = std::getenv("OVERLAY_PROFILES")) return set;
  return OVERLAY_PROFILES_FOLDER;
}

std::vector<std::string> list_profiles() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(profiles_folder(), error)) {
    const auto name = entry.path().stem().string();
    if (entry.path().extension() == ".toml" && name != "models" && name != "known-releases")
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Profile load_profile(const std::string& name_or_path) {
  fs::path file = name_or_path;
  if (file.extension() != ".toml") {
    const auto known = list_profiles();
    if (std::find(known.begin(), known.end(), name_or_path) == known.end())
      throw support::Error(fmt::format("unknown profile '{}'; there are {}, or give the path of a .toml file",
                                       name_or_path, support::join(known, ", ")));
    file = profiles_folder() / (name_or_path + ".toml");
  }
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    throw support::Error(fmt::format("no profile file {}; give a name ({}) or the path of a .toml file",
                                     file.string(), support::join(list_profiles(), ", ")));
  toml::table table;
  try {
    table = toml::parse_file(file.string());
  } catch (const toml::parse_error& problem) {
    throw support::Error(fmt::format("profile {}, line {}: {}", file.string(), problem.source().begin.line,
                                     problem.description()));
  }
  auto need = [&](bool there, const char* what) {
    if (!there)
      throw support::Error(
          fmt::format("profile {} lacks {}; veritas-gamma.toml shows the form", file.string(), what));
  };
  auto card_text = [&](const std::string& name) {
    const auto card = file.parent_path() / name;
    if (!fs::is_regular_file(card))
      throw support::Error(
          fmt::format("profile {} names a card template {} that is not there", file.string(), card.string()));
    return support::read_file(card);
  };

  Profile profile;
  profile.name = file.stem().string();
  profile.file = fs::absolute(file);
  profile.summary = table["summary"].value_or(std::string());
  profile.options = strings(table, "options");
  profile.outputs = strings(table, "outputs");
  need(!profile.options.empty(), "options = [...]");
  const auto card = table["card"].value<std::string>();
  need(card.has_value(), "card = \"...\"");
  profile.card_template = card_text(*card);
  const auto* showers = table["showers"].as_table();
  need(showers != nullptr, "a [showers] table");
  const toml::table& s = *showers;
  profile.showers = s["number"].value_or(1L);
  if (const auto energies = range(s, "energy")) profile.energy_range = *energies;
  profile.production_emax = s["production_emax"].value_or(0.);
  profile.zenith = s["zenith"].value_or(0.);
  profile.atmosphere = s["atmosphere"].value_or(0);
  profile.atmosphere_fallback = s["atmosphere_fallback"].value_or(0);
  profile.seed = s["seed"].value_or(std::int64_t{11});
  profile.seed_step = s["seed_step"].value_or(1);
  profile.seeds = s["seeds"].value_or(4);
  check_seeds(profile);
  profile.values = string_map(table["values"].as_table());
  if (const auto* tables = table["by_zenith"].as_table()) {
    for (const auto& [key, rows] : *tables) {
      ByZenith values;
      if (const auto* array = rows.as_array())
        for (const auto& row : *array)
          if (const auto* pair = row.as_array(); pair != nullptr && pair->size() == 2)
            values.emplace_back(pair->get(0)->value_or(90.), pair->get(1)->value_or(std::string()));
      profile.by_zenith[std::string(key.str())] = values;
    }
  }
  if (const auto* section = table["standin"].as_table()) {
    StandinSection standin;
    standin.options = strings(*section, "options");
    if (const auto name = (*section)["card"].value<std::string>()) standin.card_template = card_text(*name);
    standin.values = string_map((*section)["values"].as_table());
    standin.showers = (*section)["number"].value<long>();
    standin.energy_range = range(*section, "energy");
    profile.standin = standin;
  }
  return profile;
}

Profile with_parameters(Profile profile, const Parameters& parameters) {
  if (parameters.zenith) {
    if (!(*parameters.zenith >= 0. && *parameters.zenith < 88.))
      throw support::Error(
          fmt::format("zenith angle {} is out of range; give degrees from 0 to 88", *parameters.zenith));
    profile.zenith = *parameters.zenith;
  }
  if (parameters.showers) {
    if (*parameters.showers < 1 || *parameters.showers > 99999999)
      throw support::Error(
          fmt::format("{} showers are out of range; give 1 to 99999999", *parameters.showers));
    profile.showers = *parameters.showers;
  }
  if (parameters.production_energies) {
    const auto rows = profile.by_zenith.find("PRODUCTION_EMIN");
    if (rows == profile.by_zenith.end() || profile.production_emax <= 0.)
      throw support::Error(fmt::format(
          "profile {} has no production energy range; give --erange MIN,MAX in GeV", profile.name));
    profile.energy_range = {number_in(by_zenith(rows->second, profile.zenith), profile.name),
                            profile.production_emax};
  }
  if (parameters.energy_range) {
    const auto [low, high] = *parameters.energy_range;
    if (!(low > 0. && high >= low && std::isfinite(high)))
      throw support::Error(fmt::format(
          "the energy range cannot be {} to {} GeV; give --erange MIN,MAX with 0 < MIN <= MAX", low, high));
    profile.energy_range = *parameters.energy_range;
  }
  if (parameters.atmosphere) {
    if (*parameters.atmosphere < 1 || *parameters.atmosphere > 99)
      throw support::Error(fmt::format("atmosphere {} is out of range; give the NN of an atmprofNN.dat",
                                       *parameters.atmosphere));
    profile.atmosphere = *parameters.atmosphere;
    profile.atmosphere_fallback = 0;
  }
  if (parameters.seed) {
    if (*parameters.seed < 1 || *parameters.seed > 900000000 - 4L * profile.seed_step)
      throw support::Error(fmt::format("seed {} is out of range; give 1 to 899999990", *parameters.seed));
    profile.seed = *parameters.seed;
  }
  return profile;
}

std::string render_card(const Profile& profile, bool standin) {
  auto values = profile.values;
  for (const auto& [name, rows] : profile.by_zenith) values[name] = by_zenith(rows, profile.zenith);
  if (standin && profile.standin)
    for (const auto& [name, value] : profile.standin->values) values[name] = value;
  values["NSHOW"] = std::to_string(profile.showers);
  values["EMIN"] = real(profile.energy_range.first);
  values["EMAX"] = real(profile.energy_range.second);
  values["ZENITH"] = real(profile.zenith);
  values["ATMOSPHERE"] = std::to_string(profile.atmosphere);
  std::vector<std::string> seeds;
  seeds.reserve(static_cast<std::size_t>(std::max(profile.seeds, 0)));
  for (int i = 0; i < profile.seeds; ++i)
    seeds.push_back(fmt::format("SEED {} 0 0", profile.seed + long{i} * profile.seed_step));
  values["SEEDS"] = support::join(seeds, "\n");

  if (standin && !profile.standin)
    throw support::Error(fmt::format(
        "profile {} has no [standin] section, so the stand-in program cannot run it; add one", profile.name));
  const std::string& text = standin ? profile.standin->card_template : profile.card_template;
  std::string card;
  for (std::size_t at = 0; at < text.size();) {
    const auto open = text.find('@', at);
    const auto close = open == std::string::npos ? open : text.find('@', open + 1);
    card += text.substr(at, open == std::string::npos ? open : open - at);
    if (open == std::string::npos) break;
    const std::string name = close == std::string::npos ? "" : text.substr(open + 1, close - open - 1);
    const auto value = values.find(name);
    if (value == values.end())
      throw support::Error(
          fmt::format("the card of profile {} has a placeholder @{}@ without a value; add it to [values]",
                      profile.name, name));
    card += value->second;
    at = close + 1;
  }
  return card;
}

}  // namespace overlay
