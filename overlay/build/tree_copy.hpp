// Copies of a CORSIKA tree: what belongs to its sources, and what a checkout lacks. Reads the tree, writes
// the copy alone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace overlay {

/// Copies the sources of a tree, times and links included, whole or not at all: without .git and without what
/// was made in the tree (is_made_in_tree), so that a folder that coconut has configured, built in and run in
/// gives the same copy as the sources that it came from. An unpacked package, whose archive coconut deleted,
/// is part of the sources. A link that leads to a folder outside of the tree becomes a copy of that folder.
/// Generated files of autotools get times in the order that make expects, so that no autotools are needed.
/// Deletes first what is at `to`, which then stays absent if the copy fails. Throws support::Error where a
/// file cannot be copied, std::filesystem::filesystem_error where a folder cannot be made or renamed.
void copy_sources(const std::filesystem::path& from, const std::filesystem::path& to);

/// Whether a file or folder of a tree, by its path in it, was made by a configure, a build or a run there:
/// objects, libraries, include/config.h, Makefiles that have a Makefile.am, CORSIKA's programs and outputs in
/// run/, what autoconf keeps, and .git.
bool is_made_in_tree(const std::filesystem::path& tree, const std::filesystem::path& name);

/// SHA-256 over the names and contents of what copy_sources() copies. Throws support::Error where a file
/// cannot be read.
std::string sha256_of_sources(const std::filesystem::path& tree);

/// Whether a file is a program or an object.
bool is_elf(const std::filesystem::path& file);

/// Whether a tree lacks what autoreconf makes, as a checkout may: configure, or Makefile.in.
bool lacks_configure(const std::filesystem::path& tree);

/// Throws support::Error where the tree lacks configure and the tools that make it are missing.
void check_autotools(const std::filesystem::path& tree);

/// Makes configure and the files beside it by `autoreconf -i`, which writes to `log`. Throws support::Error
/// where that fails.
void make_configure(const std::filesystem::path& tree, const std::filesystem::path& log);

}  // namespace overlay
