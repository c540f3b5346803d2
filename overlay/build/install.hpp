// Patched programs as a group's cluster takes them: programs, data tables, card and README in one folder.
#pragma once

#include "overlay/build/build.hpp"

namespace overlay {

// The programs of an installation have the launcher's name with one of these behind.
constexpr const char* kFlat = "_flat";
constexpr const char* kCurved = "_curved";
/// The zenith angle in degrees from which on the curved one is started; flat CORSIKA goes to 70.
constexpr double kCurvedFrom = 65;

/// The folder to install in, absolute. Throws support::Error where nothing can be written there, or it holds
/// a program that other options were asked for.
std::filesystem::path checked_prefix(const std::filesystem::path& prefix,
                                     const std::set<std::string>& options);

/// What is to be installed.
struct Installation {
  /// Sources and patched program of each set of options: one that is flat, one with CURVED, or both.
  std::vector<BuildSet> sets;
  std::filesystem::path launcher;  ///< the program that takes one of them by the card's zenith angle
  std::string container;           ///< recipe to write: apptainer, docker or, empty, none
  std::string gain;                ///< that was seen, in words
  nlohmann::json provenance;       ///< what the list says beside what is known of `sets`
};

/// Puts the launcher under the name that coconut gives the first program into PREFIX/run, the programs beside
/// it, with the tables that they read, the first set's card as example.card, and the shared libraries that a
/// machine may lack; beside run/ a README, a modulefile and a container's recipe. No path of this machine is
/// needed at run time, so the folder may be copied and moved; the programs still hold the names of their
/// source files, for messages.
///
/// PREFIX/overlay-install.json says what was made of what, and lists the files with their checksums. A new
/// prefix appears whole or not at all. In one that is there only files of that list are replaced. Returns how
/// many files it lists. Throws Error, before anything is changed, where another file stands in the way, where
/// an installed file was changed since, or where a program with other options is installed.
std::size_t install(const Installation& made, const std::filesystem::path& prefix);

}  // namespace overlay
