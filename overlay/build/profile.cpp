// Shower runs as data, and what options need in a tree: reads profiles and cards from profiles/, and trees;
// writes nothing.
#include "overlay/build/profile.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

/// Values as the card is to have them: texts and numbers.
void take_values(Profile& profile, const json& table) {
  const auto values = table.value("values", json::object());
  for (const auto& [key, value] : values.items()) {
    profile.values[key] =
        value.is_string() ? value.get<std::string>() : fmt::format("{}", value.get<double>());
    profile.by_zenith.erase(key);
  }
}

std::string by_zenith(const ByZenith& rows, double zenith) {
  for (const auto& [below, value] : rows)
    if (zenith < below) return value;
  return rows.empty() ? "" : rows.back().second;
}

/// A number as CORSIKA reads a REAL: with a point.
std::string real_text(double value) {
  auto text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".";
  return text;
}

/// Takes a card template that a profile names: its path is relative to the profile's folder.
void take_card(Profile& profile, const std::string& name) {
  profile.card_file = profile.file.parent_path() / name;
  std::error_code error;  // no exception, for example if the name is too long
  if (!fs::is_regular_file(profile.card_file, error))
    throw support::Error("profile {} names a card template {} that is not there", profile.file.string(),
                         profile.card_file.string());
  profile.card_template = support::read_file(profile.card_file);
}

/// Throws Error unless all seeds are distinct and 1 to 900,000,000.
void check_seeds(const Profile& profile) {
  constexpr std::int64_t kLargestSeed = 900000000;
  constexpr int kMostSeeds = 64;  // sequences of the generator
  if (profile.seeds < 0 || profile.seeds > kMostSeeds || profile.seed_step < 1 || profile.seed < 1 ||
      profile.seed > kLargestSeed ||
      std::int64_t{profile.seeds - 1} * profile.seed_step > kLargestSeed - profile.seed)
    throw support::Error(
        "profile {}: its seeds cannot be {} from {} on, {} apart; give at most {} seeds of 1 to {}",
        profile.file.string(), profile.seeds, profile.seed, profile.seed_step, kMostSeeds, kLargestSeed);
}

/// What Git LFS (lines of "key value", `version` first) or git-annex (the name of an object) leaves of a
/// file.
bool is_pointer(const fs::path& file) {
  std::error_code error;
  if (fs::file_size(file, error) >= 1024 || error) return false;
  std::string text = support::read_file(file);
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // some editors' mark of UTF-8
  return text.starts_with("/annex/objects/") || text.starts_with("version http");
}

bool has_data(const fs::path& folder, const std::vector<std::string>& wildcards) {
  return std::ranges::any_of(matching_files(folder, wildcards), is_data_file);
}

}  // namespace

fs::path profiles_folder() {
  if (const char* set = std::getenv("OVERLAY_PROFILES")) return set;
  return source_root() / "profiles";
}

std::vector<std::string> list_profiles() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(profiles_folder(), error)) {
    const auto name = entry.path().stem().string();
    if (entry.path().extension() == ".toml" && name != "models" && !name.starts_with("known-"))
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Profile load_profile(const std::string& name_or_path, bool standin) try {
  fs::path file = name_or_path;
  const auto names = list_profiles();
  const bool is_name = file.extension() != ".toml";
  if (is_name) file = profiles_folder() / (name_or_path + ".toml");
  std::error_code error;
  if (is_name ? !contains(names, name_or_path) : !fs::is_regular_file(file, error))
    throw support::Error("unknown profile '{}'; there are {}, or give the path of a .toml file", name_or_path,
                         support::join(names, ", "));
  const auto table = json::parse(support::toml_as_json(file, "profile"));
  Profile profile;
  profile.name = file.stem().string();
  profile.file = fs::absolute(file);
  for (const char* needed : {"options", "card"})
    if (!table.contains(needed))
      throw support::Error("profile {} lacks {}; veritas-gamma.toml shows the form", file.string(), needed);
  profile.summary = table.value("summary", "");
  const auto showers = table.value("showers", json::object());
  profile.showers = showers.value("number", profile.showers);
  profile.energy_range = showers.value("energy", profile.energy_range);
  profile.production_emax = showers.value("production_emax", profile.production_emax);
  profile.zenith = showers.value("zenith", profile.zenith);
  profile.atmosphere = showers.value("atmosphere", profile.atmosphere);
  profile.atmosphere_fallback = showers.value("atmosphere_fallback", profile.atmosphere_fallback);
  profile.seed = showers.value("seed", profile.seed);
  profile.seed_step = showers.value("seed_step", profile.seed_step);
  profile.seeds = showers.value("seeds", profile.seeds);
  take_values(profile, table);
  profile.by_zenith = table.value("by_zenith", profile.by_zenith);
  if (standin && !table.contains("standin"))
    throw support::Error(
        "profile {} has no [standin] section, so the stand-in program cannot run it; add one", profile.name);
  const auto& section = standin ? table["standin"] : table;
  profile.options = section.value("options", profile.options);
  take_card(profile, section.at("card"));
  if (standin) {
    take_values(profile, section);
    profile.showers = section.value("number", profile.showers);
    profile.energy_range = section.value("energy", profile.energy_range);
  }
  check_seeds(profile);
  return profile;
} catch (const json::exception& problem) {
  throw support::Error("profile {}: {}", name_or_path, problem.what());
}

void put_placeholder(std::string& card, const std::string& place, const std::string& keyword,
                     const std::string& line) {
  if (!has_placeholder(card, place)) card = card_with_lines(card, keyword, {line});
}

void put_seeds_placeholder(Profile& profile) {
  constexpr int kLeastSequences = 4;
  if (has_placeholder(profile.card_template, "SEEDS")) return;
  const Card card(profile.card_template);
  profile.seeds = std::max(kLeastSequences,
                           static_cast<int>(std::ranges::count(card.lines(), "SEED", &CardLine::keyword)));
  profile.card_template = card_with_lines(profile.card_template, "SEED", {"@SEEDS@"});
}

Profile with_parameters(Profile profile, const BuildRequest& request) {
  auto& card = profile.card_template;
  if (request.zenith) {
    const auto has = [&](const char* option) { return contains(profile.options, option); };
    if (!(*request.zenith >= 0. && *request.zenith <= (has("UPWARD") ? 180. : 90.)))
      throw support::Error("zenith angle {} is out of range; give 0 to {}{} degrees", *request.zenith,
                           has("CURVED") ? "" : "70, or with CURVED to ",
                           has("UPWARD")     ? "180"
                           : has("CERENKOV") ? "88"
                                             : "90");
    profile.zenith = *request.zenith;
    put_placeholder(card, "ZENITH", "THETAP", "THETAP  @ZENITH@ @ZENITH@");
  }
  if (request.showers) {
    if (*request.showers < 1 || *request.showers > 99999999)
      throw support::Error("{} showers are out of range; give 1 to 99999999", *request.showers);
    profile.showers = *request.showers;
    put_placeholder(card, "NSHOW", "NSHOW", "NSHOW   @NSHOW@");
  }
  if (request.energies == "production") {
    const auto rows = profile.by_zenith.find("PRODUCTION_EMIN");
    if (rows == profile.by_zenith.end() || profile.production_emax <= 0.)
      throw support::Error("profile {} has no production energy range; give --erange MIN,MAX in GeV",
                           profile.name);
    const std::string lowest = by_zenith(rows->second, profile.zenith);  // "50." or "1.5E2"
    profile.energy_range = {std::strtod(lowest.c_str(), nullptr), profile.production_emax};
  } else if (char more = 0; request.energies &&
                            std::sscanf(request.energies->c_str(), "%lf,%lf%c", &profile.energy_range.first,
                                        &profile.energy_range.second, &more) != 2) {
    throw support::Error("--erange cannot be '{}'; give MIN,MAX in GeV (300,3000) or 'production'",
                         *request.energies);
  }
  if (request.energies) put_placeholder(card, "EMIN", "ERANGE", "ERANGE  @EMIN@ @EMAX@");
  if (const auto [low, high] = profile.energy_range; !(low > 0. && high >= low && std::isfinite(high)))
    throw support::Error("the energy range cannot be {} to {} GeV; give --erange MIN,MAX with 0 < MIN <= MAX",
                         low, high);
  if (request.atmosphere) {
    if (*request.atmosphere < 1 || *request.atmosphere > 99)
      throw support::Error("atmosphere {} is out of range; give the NN of an atmprofNN.dat",
                           *request.atmosphere);
    profile.atmosphere = *request.atmosphere;
    profile.atmosphere_fallback = 0;
    const std::string refraction = Card(card).word("ATMOSPHERE", 2);
    put_placeholder(card, "ATMOSPHERE", "ATMOSPHERE",
                    "ATMOSPHERE @ATMOSPHERE@ " + (refraction.empty() ? "T" : refraction));
  }
  if (request.seed) {
    if (*request.seed < 1 || *request.seed > 900000000 - 4L * profile.seed_step)
      throw support::Error("seed {} is out of range; give 1 to 899999990", *request.seed);
    profile.seed = *request.seed;
    put_seeds_placeholder(profile);
  }
  return profile;
}

std::map<std::string, std::string> card_values(const Profile& profile) {
  auto values = profile.values;
  values.emplace("RUNNR", "1");
  for (const auto& [name, rows] : profile.by_zenith) values[name] = by_zenith(rows, profile.zenith);
  values["NSHOW"] = std::to_string(profile.showers);
  values["EMIN"] = real_text(profile.energy_range.first);
  values["EMAX"] = real_text(profile.energy_range.second);
  values["ZENITH"] = real_text(profile.zenith);
  values["ATMOSPHERE"] = std::to_string(profile.atmosphere);
  std::vector<std::string> seeds;
  seeds.reserve(static_cast<std::size_t>(std::max(profile.seeds, 0)));
  for (int i = 0; i < profile.seeds; ++i)
    seeds.push_back(fmt::format("SEED {} 0 0", profile.seed + long{i} * profile.seed_step));
  values["SEEDS"] = support::join(seeds, "\n");
  return values;
}

json json_of(const std::string& text) {
  return json::parse(text, [](int /*depth*/, json::parse_event_t /*event*/, const json& value) {
    if (value.is_number_float() && !(value >= 0. && value < 0x1p63))
      throw support::Error("{} is no number that overlay writes", value.dump());
    return true;
  });
}

std::string toml_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string render_card(const Profile& profile) try {
  return filled_in(profile.card_template, card_values(profile));
} catch (const support::Error& problem) {
  throw support::Error("{}: {}; [values] of a profile may add one", profile.card_file.string(),
                       problem.what());
}

bool matches(const std::string& name, const std::vector<std::string>& wildcards) {
  return std::ranges::any_of(wildcards, [&](const std::string& wildcard) {
    return fnmatch(wildcard.c_str(), name.c_str(), 0) == 0;
  });
}

std::vector<fs::path> matching_files(const fs::path& folder, const std::vector<std::string>& wildcards) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (matches(entry.path().filename().string(), wildcards)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

bool is_data_file(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) == 0 || error) return false;
  return !is_pointer(file);
}

support::Toml read_models() {
  std::error_code error;
  // Of a production's worker.
  const auto beside = fs::read_symlink("/proc/self/exe", error).replace_filename("models.toml");
  return support::Toml::read(fs::exists(beside, error) ? beside : profiles_folder() / "models.toml");
}

std::vector<std::string> missing_parts(const support::Toml& models, const fs::path& tree,
                                       const std::vector<std::string>& options) {
  std::vector<std::string> missing;
  const auto check = [&](const std::string& option, const char* who) {
    for (const auto& table : models[option]["tables"].texts())
      if (!has_data(tree / "run", {table}))
        missing.push_back(fmt::format("table run/{} ({} needs it)", table, who));
    const auto package = models[option]["package"].text();
    if (!package) return;
    if (!has_data(tree / *package, {"*.tar.gz", "*.tgz", "*.f", "*.F", "iact.c"}))
      missing.push_back(fmt::format("package {}/ ({} needs it)", *package, who));
    else
      for (const auto& file : matching_files(tree / *package, {"*"}))
        if (fs::is_regular_file(file) && is_pointer(file))
          missing.push_back(fmt::format("{}/{}, of which there is only a pointer ({} needs it)", *package,
                                        file.filename().string(), who));
  };
  check("always", "every run");
  for (const auto& option : options) check(option, option.c_str());
  return missing;
}

std::vector<std::string> resolve_alternatives(const support::Toml& models, const fs::path& tree,
                                              const std::vector<std::string>& options,
                                              std::vector<std::string>& substitutes) {
  std::vector<std::string> settled;
  for (const auto& option : options) {
    const auto first = option.substr(0, option.find('|'));
    std::string choice = option, reason;
    for (const auto& name : support::split(option, '|')) {
      choice = name;
      auto lacks = missing_parts(models, tree, {choice});
      std::erase_if(lacks, [](const auto& part) { return part.find("(every run") != std::string::npos; });
      if (lacks.empty()) break;
      reason += (reason.empty() ? "" : ", ") + lacks.front();
    }
    if (choice != first)
      substitutes.push_back(fmt::format("{} stands in for {}: {} is not at hand", choice, first, reason));
    settled.push_back(choice);
  }
  return settled;
}

fs::path find_atmosphere(const std::string& name, const fs::path& tree, const std::vector<fs::path>& first) {
  auto folders = first;
  std::erase(folders, fs::path());
  if (const char* set = std::getenv("CORSIKA_ATMOSPHERES")) folders.push_back(set);
  folders.push_back(tree / "run");
  folders.push_back(tree / "bernlohr");
  for (const auto& folder : folders)
    if (is_data_file(folder / name)) return fs::absolute(folder / name);
  for (const auto& archive : matching_files(tree / "bernlohr", {"*.tar.gz"})) {
    const auto list = support::run({.argv = {"tar", "--list", "--file", archive.string()}});
    for (const auto& line : support::split(list.output))
      if (line == name || line.ends_with("/" + name)) return archive;
  }
  return {};
}

}  // namespace overlay
