#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace profiles {

/// What a user may change about a profile's showers without editing a file. What is not set keeps the value
/// that the profile gives.
struct Parameters {
  std::optional<long> showers;                              ///< NSHOW
  std::optional<std::pair<double, double>> energy_range;    ///< ERANGE, GeV
  std::optional<double> zenith;                             ///< degrees
  std::optional<int> atmosphere;                            ///< 61 winter, 62 summer, or one of the package's
  std::optional<std::int64_t> seed;                         ///< first seed; the others follow in steps
};

/// The same shower run for the stand-in program: its options, and its card.
struct StandinSection {
  std::vector<std::string> options;   ///< names handed to its Makefile as OPTIONS
  std::string card_template;          ///< text with @PLACEHOLDERS@
  std::map<std::string, std::string> values;
};

/// One shower run by name: which options CORSIKA is built with, and which card it reads. A profile is a file
/// NAME.toml beside a card template; adding a file adds a profile.
struct Profile {
  std::string name;
  std::string summary;
  std::filesystem::path file;          ///< where it was read from

  std::vector<std::string> options;    ///< by coconut's names, interaction models included: QGSJETII, GHEISHA, ...
  std::map<std::string, std::string> answers;  ///< sub-menu choices by topic: "bits" -> "64", "geometry" -> ...
  std::vector<std::string> tables;     ///< data files that the run needs beyond those of its models

  std::string card_template;           ///< text with @PLACEHOLDERS@
  long showers = 1;
  std::pair<double, double> energy_range{1000., 1000.};
  double zenith = 0.;
  int atmosphere = 0;                  ///< 0: no ATMOSPHERE keyword
  std::int64_t seed = 11;
  int seed_step = 1;
  int seeds = 4;
  bool energy_start_by_zenith = false;   ///< lower energy bound rises with zenith unless given
  std::optional<StandinSection> standin;
};

/// Folder that holds the profiles of the project: $OVERLAY_PROFILES, else the source folder that this was built from.
std::filesystem::path profiles_folder();

/// Names of the profiles in profiles_folder(), sorted.
std::vector<std::string> list_profiles();

/// Reads a profile by name, or from a path to a .toml. Throws Error that lists the known names.
Profile load_profile(const std::string& name_or_path);

/// The profile with the user's parameters put in. Throws Error where one is out of range.
Profile with_parameters(Profile profile, const Parameters& parameters);

/// The input card: the template with every @PLACEHOLDER@ replaced. `standin` takes the stand-in's template.
/// Throws Error where a placeholder has no value.
std::string render_card(const Profile& profile, bool standin);

}  // namespace profiles
