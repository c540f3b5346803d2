// Shower runs by name, and a user's own, from a card and options: options, card, parameters; what options
// need in a tree, by profiles/models.toml; and `overlay init`.
#pragma once

#include "overlay/build/cherenkov_stage.hpp"
#include "support/toml.hpp"

namespace overlay {

/// What to build, and from what: the options of `overlay build`, one member each.
struct BuildRequest {
  std::string corsika;                          ///< archive, unpacked tree, URL, or "standin"
  std::filesystem::path out = "build/overlay";  ///< everything that is made goes below it
  std::string sha256;                           ///< expected, of the archive, hexadecimal, or empty
  std::optional<std::filesystem::path> known;   ///< user's own list of releases and checksums
  std::string profile = "veritas-gamma";        ///< name, or path to a .toml
  std::vector<std::string> with;                ///< options that are added to the profile's
  std::string flags = "tuned";                  ///< shipped, tuned, or the text of both FFLAGS and CFLAGS
  /// Whether patched programs are linked with CUDA. auto: where this build of the project has it; on: an
  /// Error where it does not; off: never.
  std::string gpu = "auto";
  std::optional<std::filesystem::path> card;  ///< the user's own card instead of the profile's
  /// With `card`, in place of a profile: a config.h of coconut, or a list of names, whose options are taken.
  std::optional<std::filesystem::path> config;
  std::string options;
  std::optional<std::filesystem::path> atmosphere_dir;  ///< folder with atmprofNN.dat
  int jobs = 0;                                         ///< make -j; 0: as many as there are processors
  /// Whether a stage that is neither known nor proven is proven (prove.hpp), and with how many steps with
  /// light. build_profile() ignores both.
  bool prove = true;
  std::uint64_t prove_steps = kProofSteps;
  bool drop_unknown_lines =
      false;                ///< the card is another program's: lines that this one does not know are left out
  bool quiet = false;       ///< says no notes: they were said before
  bool substitutes = true;  ///< what a profile names may stand in for what is not at hand
  std::vector<std::string>
      more_cards;  ///< that the programs are to read besides: CORSIKA must not refuse them

  // What the user changes about the profile's showers: what is not set keeps the profile's value.
  std::optional<long> showers;  ///< NSHOW
  std::optional<std::string>
      energies;  ///< ERANGE, "MIN,MAX" in GeV; or "production": the profile's production range
  std::optional<double> zenith;      ///< degrees
  std::optional<int> atmosphere;     ///< VERITAS tables: 61 winter, 62 summer; or one of the package's
  std::optional<std::int64_t> seed;  ///< first seed; the others follow in steps
};

/// A value that depends on the zenith angle: the first row whose bound (degrees) is above the angle counts.
using ByZenith = std::vector<std::pair<double, std::string>>;

/// One shower run by name: which options CORSIKA is built with, and which card it reads. A profile is a file
/// NAME.toml beside a card template; adding a file adds a profile.
struct Profile {
  std::string name;
  std::string summary;
  std::filesystem::path file;  ///< where it was read from; empty where it was made of a card and options

  /// Options by coconut's names, interaction models and sub-menu choices included. "A|B" is A where A's
  /// tables are at hand and else B; build_profile() leaves the one that was taken.
  std::vector<std::string> options;

  std::filesystem::path card_file;            ///< the template; files that it names lie beside it
  std::string card_template;                  ///< text with @PLACEHOLDERS@
  std::map<std::string, std::string> values;  ///< placeholders of the profile's own
  std::map<std::string, ByZenith> by_zenith;  ///< placeholders that depend on the zenith angle
  long showers = 1;
  std::pair<double, double> energy_range{1000., 1000.};  ///< GeV
  double production_emax =
      0.;  ///< GeV, upper end for --erange production; the lower end is by_zenith["PRODUCTION_EMIN"]
  double zenith = 0.;           ///< degrees
  int atmosphere = 0;           ///< 0: the profile has no ATMOSPHERE keyword
  int atmosphere_fallback = 0;  ///< one of the package's, where the table of `atmosphere` is not found
  std::int64_t seed = 11;       ///< of sequence 1
  int seed_step = 1;            ///< from the seed of one sequence to the next one's; 1 or more
  int seeds = 4;                ///< sequences: SEED lines of the card
};

/// Folder that holds the profiles of the project: $OVERLAY_PROFILES where set, else the source folder that
/// this was built from.
std::filesystem::path profiles_folder();

/// Names of the profiles in profiles_folder(), sorted.
std::vector<std::string> list_profiles();

/// Reads a profile by name, or from a path to a .toml; for the stand-in program with what its section
/// [standin] says. Throws support::Error that lists the known names, and where there is no such section.
Profile load_profile(const std::string& name_or_path, bool standin = false);

/// The profile with what the request changes; lines of its card that give such a value outright become
/// placeholders. Throws support::Error where a value is out of range.
Profile with_parameters(Profile profile, const BuildRequest& request);

/// Where a card has no placeholder of that name, `line`, which has, takes the place of the keyword's lines.
void put_placeholder(std::string& card, const std::string& place, const std::string& keyword,
                     const std::string& line);
/// The same of SEEDS, for as many sequences as the card had SEED lines, at least 4.
void put_seeds_placeholder(Profile& profile);

/// What the placeholders of its template stand for: the profile's own, those of its zenith angle, and NSHOW,
/// EMIN, EMAX, ZENITH, ATMOSPHERE, SEEDS, and RUNNR, which is 1 where the profile does not say.
std::map<std::string, std::string> card_values(const Profile& profile);

/// The input card: the template with every @PLACEHOLDER@ replaced. Throws support::Error where one is not
/// known.
std::string render_card(const Profile& profile);

/// A text, a number or a list of texts as TOML takes it.
std::string toml_text(const nlohmann::json& value);

/// JSON of a file that may be damaged. Throws nlohmann::json::exception, and support::Error where a fraction
/// is none that we write: a conversion of it to a whole number may not be defined.
nlohmann::json json_of(const std::string& text);

/// profiles/models.toml: what options need in a tree, and what a run folder holds. Throws support::Error.
support::Toml read_models();

/// Whether a name matches one of these shell wildcards.
bool matches(const std::string& name, const std::vector<std::string>& wildcards);

/// What of a folder has a name that matches one of the wildcards, by name; nothing where it cannot be read.
std::vector<std::filesystem::path> matching_files(const std::filesystem::path& folder,
                                                  const std::vector<std::string>& wildcards);

/// A data file that is really there: not empty, and not the pointer of a few bytes that a large-file store
/// (Git LFS, git-annex) leaves in its place.
bool is_data_file(const std::filesystem::path& file);

/// What `options`, and all runs, need and the tree lacks, one phrase each; empty where nothing is missing.
std::vector<std::string> missing_parts(const support::Toml& models, const std::filesystem::path& tree,
                                       const std::vector<std::string>& options);

/// Resolves "A|B": the first of which nothing is missing, else the last. Each choice that is not the first
/// leaves a line in `substitutes`.
std::vector<std::string> resolve_alternatives(const support::Toml& models, const std::filesystem::path& tree,
                                              const std::vector<std::string>& options,
                                              std::vector<std::string>& substitutes);

/// Table of an atmosphere by its file's name: in the folders `first`, those that are not empty, then
/// $CORSIKA_ATMOSPHERES, the tree's run/ or bernlohr/, where it may still be inside the package's archive
/// (then the archive's path is returned). Empty where there is none.
std::filesystem::path find_atmosphere(const std::string& name, const std::filesystem::path& tree,
                                      const std::vector<std::filesystem::path>& first);

/// Whether a request has options of its own.
bool names_options(const BuildRequest& request);

/// The profile that a request asks for, with its own card where it names one, and with what it changes. Where
/// the request has options of its own, all is made of these and of the card, and no file is read as a
/// profile. Throws support::Error as load_profile() and with_parameters() do, where the card is none, and
/// where options are named without a card.
Profile asked_profile(const BuildRequest& request);

/// The options of `overlay init`.
struct InitRequest {
  std::filesystem::path file;  ///< the profile, NAME.toml; NAME.card is beside it
  BuildRequest build;          ///< sources, card, options, folder of atmospheres
  bool force = false;          ///< files that are there may be replaced
};

/// Writes the profile, its card, and beside them the files that the card names, where they are at hand.
/// Without a card it takes that of one of our profiles, without options those of the tree's own
/// include/config.h. Returns what it did and what the user is to look at, one line each. Throws
/// support::Error, also where a file is there already and is another one.
std::vector<std::string> init_profile(const InitRequest& request);

}  // namespace overlay
