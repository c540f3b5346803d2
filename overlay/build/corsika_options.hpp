// What a request comes to in the tree at hand: options, atmosphere, card, and the data files of a run folder.
#pragma once

#include <filesystem>
#include <string>

#include "overlay/build/build.hpp"
#include "overlay/build/source.hpp"

namespace overlay {

/// The atmosphere of a run: its number, 0 for none, and its table.
struct Atmosphere {
  int number = 0;
  std::filesystem::path table;  ///< may be the archive that holds it
};

/// Settles the options of set.profile by what the tree holds. Throws Error where a table, a package or an
/// option is missing.
void settle_profile(BuildSet& set, const SourceTree& source);

/// The atmosphere of the profile, or of the user's own card, and its table. Throws Error where an atmosphere
/// is named and its table is not found. `extra`: as find_atmosphere() takes it.
Atmosphere settle_atmosphere(BuildSet& set, const SourceTree& source, const std::string& own_card,
                             const std::filesystem::path& extra);

/// Fills in data_files and folders_beside from a built tree.
void gather_data_files(BuildSet& set, const std::filesystem::path& tree, const Atmosphere& atmosphere);

/// A note of options that coconut added by itself, where a build's selected.txt tells of some.
void note_added_options(BuildSet& set, const std::filesystem::path& folder);

}  // namespace overlay
