// Builds of one profile with one set of flags: what they are made with (compiler flags and what they do, our
// patcher, includes and libraries, the environment of CORSIKA's configure and make), their steps and what
// these leave, what the Cherenkov stage does in a patched program, and why it may:
// docs/cherenkov.md#covered-known-proven.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "overlay/build/source.hpp"
#include "overlay/proof/proof.hpp"

namespace overlay {

/// The words of a text, which blanks separate.
std::vector<std::string> words_of(const std::string& text);

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
/// (fortran-bindings/include); with nothing of CUDA where `gpu` is "off". Throws Error where something is not
/// built, or a path has blanks, which make and libtool cannot take.
OurLibrary find_our_library(const std::filesystem::path& root, const std::filesystem::path& includes,
                            const std::string& gpu);

/// FFLAGS and CFLAGS of a request.
struct CompilerFlags {
  std::string key;  ///< good as a folder name
  std::string fflags, cflags;
  bool given = false;  ///< the user's own text, not "shipped" or "tuned"
};

/// "shipped" (CORSIKA's own: none), "tuned" (-O2), or the text of both. Throws Error for anything else.
CompilerFlags parse_flags(const std::string& text);

/// Whether CORSIKA compiled with these flags rounds its operations one by one, in their order, as the
/// Cherenkov stage does. Always so for shipped and tuned on x86-64; compilers for other processors fuse some
/// unless a flag forbids it.
bool rounds_one_by_one(const CompilerFlags& flags);

/// Variables of one of known_builds(). `library` is null for stock; `stage`: with the Cherenkov stage, where
/// the build is a patched one; `tree` is the build's own tree.
std::map<std::string, std::string> environment_of(const std::string& build, const CompilerFlags& flags,
                                                  const OurLibrary* library, bool stage,
                                                  const std::filesystem::path& tree);

/// File beside a patched build's tree with options for the linker, and its text. `works`: the stage may work.
constexpr const char* kLinkOptions = "link-options.txt";
std::string link_options(bool works);

bool is_patched(const std::string& build);

/// Name of a build's folder: that of the build, but "stock" for stock-shipped. Each choice of flags has a
/// folder of its own around these, so stock-shipped is stock below another one.
std::string folder_name(const std::string& build);

/// Ways in which flags change the bits of CORSIKA's arithmetic, by the words of overlay/build/probe; empty
/// where they do not. Compiles a small program of Fortran and one of C with the flags, and with the flags and
/// -O3 (compilers use what flags allow only when they optimise), and sets their results against those without
/// flags. So a flag is judged by what it does here, not by its name. Takes a second or two. Throws Error
/// where a compiler does not take the flags, or this processor not what it makes of them.
std::set<std::string> probe_flags(const std::string& fflags, const std::string& cflags);

/// Throws Error that names what the flags do, where the same card would not give the same bytes with a
/// patched program.
void refuse_flags_that_change_bits(const std::string& fflags, const std::string& cflags);

/// File in the folder of a patched build: the digest of what was compiled (sources_digest).
constexpr const char* kSourcesDigest = "sources.txt";

/// The first line of a file; empty where there is none.
std::string first_line_of(const std::filesystem::path& file);

/// Moves what no step made out of `folder`/tree/run: outputs of runs that were started there, a user's
/// programs. Returns the new folder beside tree/ that holds it, empty where there was nothing. Throws
/// filesystem_error where it cannot be moved.
std::filesystem::path keep_foreign_files(const std::filesystem::path& folder);

/// Notes in `folder`/run.list what stands in `folder`/tree/run, for keep_foreign_files(). Throws Error.
void list_run_folder(const std::filesystem::path& folder);

/// One folder of builds.
struct BuildPlan {
  std::filesystem::path base;  ///< folder of this profile and these flags
  std::filesystem::path out;   ///< --out
  std::string title;           ///< for messages: release, profile, flags
  const SourceTree* source = nullptr;
  const OurLibrary* library = nullptr;  ///< null where nothing is patched
  CompilerFlags flags;
  bool stage = true;                 ///< whether the Cherenkov stage may be in patched builds
  std::vector<std::string> options;  ///< of the profile
  std::vector<std::string> builds;   ///< what to make, of known_builds()
  ProofConditions conditions;        ///< of proofs of the Cherenkov stage, without `sources`
  int jobs = 1;
};

/// Makes what is missing or old in plan.base, several builds at a time, and nothing else; waits where another
/// overlay works there. A build's folder has tree/, the steps' logs, run.list, settings.json (what it is made
/// of), program.txt (the program's path) and, where patched, manifest.json. The stage is put to work where
/// the sources are known or proven. Throws Error; where the disk is full, what this call began is taken away
/// again.
void make_builds(const BuildPlan& plan);

/// Of one patched build.
struct CherenkovStage {
  /// whole: the stage takes CORSIKA's loop over the bunches of a step. bunches: the loop is CORSIKA's; the
  /// stage is asked for each bunch. none: nothing of it is called.
  std::string covered = "none";
  std::string reason;   ///< one line: why not the whole loop, with what to do
  std::string sources;  ///< digest of what was compiled; empty where nothing is covered
  bool works = false;   ///< the tree is known or proven; else the stage stays off
  std::string why;      ///< "known", "proven (N steps, DATE)", "not proven: REASON"

  bool is_covered() const { return covered != "none"; }
  /// "whole loop, known", "bunch by bunch, proven (12 steps, DATE): REASON", "whole loop, not proven:
  /// REASON", "not covered: REASON".
  std::string text() const;
};

/// Looks at what was compiled and at what the patcher said: `folder` holds tree/, sources.txt and
/// manifest.json of a patched build; `asked`: whether the stage was to be in. Knows known trees; of others
/// `works` is false and `why` says that nobody has proven it. Throws Error where a file cannot be read.
CherenkovStage stage_of_build(const std::filesystem::path& folder, bool asked);

/// SHA-256 over the paths and digests of all sources and headers in include/ and in folders of `tree` with a
/// compiled source. `manifest`: the patcher's text. Throws Error.
std::string sources_digest(const std::string& manifest, const std::filesystem::path& tree);

/// Whether profiles/known-sources.toml lists such a digest.
bool is_known(const std::string& sources);

}  // namespace overlay
