// CORSIKA's sources: found, checked, unpacked; and copies of a tree: what belongs to its sources, what a
// checkout lacks, and how coconut, CORSIKA's own configuration program, configures them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace overlay {

/// Throws support::Error where `folder`, which a command is to write and `option` names, is the tree
/// `corsika` or lies in it, by whatever path, or in a folder that a link of the tree leads to. An archive has
/// no inside.
void refuse_output_in_tree(const std::string& corsika, const std::filesystem::path& folder,
                           const char* option);

/// Release of an unpacked tree: "7.7410". Throws support::Error where it is none, or outside 7.4 to 7.8; it
/// names the archive that the tree was unpacked from, where there is one.
std::string release_of(const std::filesystem::path& tree, const std::filesystem::path& archive = {});

/// Copies the sources of a tree to a new folder, links included: without .git and without what was made in
/// the tree, so that a folder that coconut has configured, built in and run in gives the same copy as the
/// sources that it came from. An unpacked package, whose archive coconut deleted, is part of the sources. A
/// link that leads to a folder outside of the tree becomes a copy of that folder. All files get one time.
/// Throws support::Error where a file cannot be copied.
void copy_sources(const std::filesystem::path& from, const std::filesystem::path& to);

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

/// Those of the options that the coconut of `tree` does not have. Names may differ in underscores from its
/// own. Throws support::Error where its menus cannot be read.
std::vector<std::string> unknown_options(const std::filesystem::path& tree,
                                         const std::vector<std::string>& options);

/// Options that the coconut of `tree` does not select where it is asked for these: neither one of them nor
/// one that they need. Throws as unknown_options() does.
std::vector<std::string> options_left_out(const std::filesystem::path& tree,
                                          const std::vector<std::string>& options);

/// Options that a config.h of coconut selects, by coconut's names, in its order: of a configured tree, its
/// include/config.h. Throw support::Error where it cannot be read.
std::vector<std::string> options_of_config(const std::filesystem::path& config);
std::vector<std::string> selected_options(const std::filesystem::path& tree);

/// Configures a tree by talking to its coconut, and stops before make. Menus are answered by option name: the
/// keys differ between releases. `environment`: of configure: F77, FFLAGS, CFLAGS, CPPFLAGS, LIBS, LDFLAGS;
/// `log` gets everything that coconut and configure print. Throws support::Error where coconut does not know
/// an option, refuses one, misses a package, asks the same again, hangs, where its configure fails (coconut
/// itself would say success), or where config.h afterwards does not show what was asked for.
///
/// Why not configure directly: coconut also unpacks packages, adds options that others need (CHARM for SIBYLL
/// in later releases), refuses combinations, and tells configure where packages are. Driving it leaves all of
/// that where it is written. coconut.pl runs it unchanged.
void configure_with_coconut(const std::filesystem::path& tree, const std::vector<std::string>& options,
                            const std::map<std::string, std::string>& environment,
                            const std::filesystem::path& log, int timeout_s = 600);

}  // namespace overlay
