// How builds are made: compiler flags and what they do, our patcher, includes and libraries, and the
// environment of CORSIKA's configure and make (toolchain.cpp); by CMake (overlay/superbuild), and the steps
// of one build that it calls (steps.cpp).
#pragma once

#include <set>

#include "overlay/build/build.hpp"
#include "support/process.hpp"

namespace overlay {

/// What of ours a patched CORSIKA is made with.
struct OurLibrary {
  std::filesystem::path patcher;
  std::filesystem::path includes;
  std::string link_words;  ///< for LIBS: as libtool and make can take it
  /// Checksums: of the patcher and its rules; of the libraries and the includes.
  std::string patcher_fingerprint, library_fingerprint;
  bool with_cuda = false;
};

/// Our library and patcher as built in `root` (build_root()), with the folder `includes`
/// (fortran-bindings/include); with nothing of CUDA where `gpu` is "off". Throws support::Error where
/// something is not built, or a path has blanks, which make and libtool cannot take.
OurLibrary find_our_library(const std::filesystem::path& root, const std::filesystem::path& includes,
                            const std::string& gpu);

/// Lets the patcher, with our rules, make of a tree what `more` of its options say.
support::CommandResult run_patcher(const std::string& patcher, const std::filesystem::path& tree,
                                   const std::vector<std::string>& more,
                                   support::Command::Errors errors = support::Command::Errors::kWithOutput);

/// Throws support::Error where flags, as they are asked for, are none of "shipped" (CORSIKA's own), "tuned"
/// (-O2), or a text of flags.
void check_flags(const std::string& asked);

/// Whether they are the user's own text.
bool are_given(const std::string& asked);

/// FFLAGS and CFLAGS of one of kBuilds.
std::string flags_of(const std::string& build, const std::string& asked);

/// Whether CORSIKA compiled with these flags rounds its operations one by one, in their order, as the
/// Cherenkov stage does. Always so for shipped and tuned on x86-64; compilers for other processors fuse some
/// unless a flag forbids it.
bool rounds_one_by_one(const std::string& asked);

/// Variables of one of kBuilds. `library` is null for stock; `stage`: with the Cherenkov stage, where
/// the build is a patched one; `tree` is the build's own tree.
std::map<std::string, std::string> environment_of(const std::string& build, const std::string& asked,
                                                  const OurLibrary* library, bool stage,
                                                  const std::filesystem::path& tree);

/// File beside a patched build's tree with options for the linker.
constexpr const char* kLinkOptions = "link-options.txt";

bool is_patched(const std::string& build);

/// Ways in which flags change the bits of CORSIKA's arithmetic, by the words of overlay/build/probe; empty
/// where they do not. Compiles a small program of Fortran and one of C with the flags, and with the flags and
/// -O3 (compilers use what flags allow only when they optimise), and sets their results against those without
/// flags. So a flag is judged by what it does here, not by its name. Takes a second or two. Throws
/// support::Error where a compiler does not take the flags, or this processor not what it makes of them.
std::set<std::string> probe_flags(const std::string& flags);

/// Throws support::Error that names what the flags do, where the same card would not give the same bytes with
/// a patched program.
void refuse_flags_that_change_bits(const std::string& flags);

/// One step of one build, called by the superbuild: copy, configure, patch or make. `folder` holds
/// settings, and gets tree/, the steps' logs, run.list, program.txt (the program's path) and, where
/// patched, manifest.json. Throws support::Error.
void run_step(const std::string& step, const std::filesystem::path& folder);

/// Writes what a build is made of. Throws support::Error.
void write_settings(const std::filesystem::path& folder, const nlohmann::json& settings);

/// Makes what is missing or old of `builds` in set.builds, and nothing else; waits where another overlay
/// works there. Lets the stage work in those that are known or proven, and notes in `set` what there is.
/// `library`: null where nothing is patched. Throws support::Error; where the disk is full, what this call
/// began is taken away again.
void make_builds(BuildSet& set, const std::vector<std::string>& builds, const OurLibrary* library, int jobs);

}  // namespace overlay
