// Drives coconut, CORSIKA's own configuration program.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace overlay {

/// One entry of one of coconut's menus.
struct MenuEntry {
  std::string name, menu, key;
  std::string conflicts;  ///< names of options that exclude it, separated by blanks
};

/// What a release's coconut asks, read from its own text.
struct CoconutMenus {
  std::vector<MenuEntry> entries;                ///< in its order
  std::map<std::string, std::string> questions;  ///< menu -> the question as it prints it
  std::map<std::string, std::string> defaults;   ///< menu -> default key

  /// The entry of this name; else the only one whose name differs from it in underscores alone. nullptr where
  /// there is none.
  const MenuEntry* find(const std::string& name) const;
};

/// Reads the menus from the text of the coconut in `tree`; comments are skipped. What is not of the known
/// form is left out, so members may be empty. Throws Error where the file cannot be read.
CoconutMenus read_menus(const std::filesystem::path& tree);

/// What coconut is asked for, and the environment of the configure that it starts.
struct Configuration {
  std::filesystem::path tree;                      ///< configured in place
  std::vector<std::string> options;                ///< by name
  std::map<std::string, std::string> environment;  ///< F77, FFLAGS, CFLAGS, CPPFLAGS, LIBS, LDFLAGS
  std::filesystem::path log;                       ///< everything that coconut and configure printed
  int timeout_s = 600;
};

/// Options that include/config.h of a configured tree selects, by coconut's names, in its order. Throws Error
/// where it cannot be read.
std::vector<std::string> selected_options(const std::filesystem::path& tree);

/// Configures a tree by talking to its coconut, and stops before make. Menus are answered by option name: the
/// keys differ between releases. Throws Error where coconut does not know an option, refuses one, misses a
/// package, asks the same again, hangs, where its configure fails (coconut itself would say success), or
/// where config.h afterwards does not show what was asked for. Returns the options that are selected, those
/// included that coconut added by itself.
///
/// Why not configure directly: coconut also unpacks packages, adds options that others need (CHARM for SIBYLL
/// in later releases), refuses combinations, and tells configure where packages are. Driving it leaves all of
/// that where it is written. A few lines of Perl, run around the unchanged coconut, mark where it waits for
/// an answer, report configure's exit status and leave `make` to us, so that sources can be patched between
/// the two.
std::vector<std::string> configure_with_coconut(const Configuration& configuration);

}  // namespace overlay
