// Drives coconut, CORSIKA's own configuration program, in whose own language coconut.pl answers it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace overlay {

/// Those of the options that the coconut of `tree` does not have. Names may differ in underscores from its
/// own. Throws Error where its menus cannot be read.
std::vector<std::string> unknown_options(const std::filesystem::path& tree,
                                         const std::vector<std::string>& options);

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
/// that where it is written. coconut.pl runs it unchanged.
std::vector<std::string> configure_with_coconut(const Configuration& configuration);

}  // namespace overlay
