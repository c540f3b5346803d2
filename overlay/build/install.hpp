// The patched program as a group's cluster takes it: program, data tables, card and README in one folder.
#pragma once

#include <filesystem>
#include <string>

#include "overlay/build/build.hpp"

namespace overlay {

/// The folder to install in, absolute. Throws Error where it lies in the tree `corsika`, or is no folder.
std::filesystem::path checked_prefix(const std::string& corsika, const std::filesystem::path& prefix);

/// Puts the patched program of `set` into PREFIX/run with the tables that it reads, the profile's card as
/// example.card, and the shared libraries that a machine may lack; PREFIX/README says how to run it. No path
/// of this machine is needed at run time, so the folder may be copied and moved; the program still holds the
/// names of its source files, for messages.
///
/// PREFIX/overlay-install.json lists what was installed with its checksums. A new prefix appears whole or not
/// at all. In one that is there only files of that list are replaced. Returns how many files it lists. Throws
/// Error, before anything is changed, where another file stands in the way, where an installed file was
/// changed since, or where another profile is installed.
std::size_t install(const BuildSet& set, const std::filesystem::path& prefix);

/// Copies a program to the file `to`, and the shared libraries that other machines may lack into the folder
/// `libraries`. Folders are made. Throws Error where something cannot be copied or a library is missing.
void copy_program(const std::filesystem::path& program, const std::filesystem::path& to,
                  const std::filesystem::path& libraries);

/// Copies a build's program into FOLDER/run with its libraries and tables, and tables that cards name as
/// ../NAME into FOLDER/NAME. Throws as copy_program() does.
void lay_out_program(const BuildSet& set, const std::string& build, const std::filesystem::path& folder);

}  // namespace overlay
