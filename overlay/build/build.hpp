// Stock and patched builds of one profile, and folders to run them in.
#pragma once

#include "overlay/build/profile.hpp"

namespace overlay {

/// The builds that build_profile() knows:
///   stock, patched                  timed: the flags that were asked for
///   patched-stage                   patched, the Cherenkov stage alone: the generator is CORSIKA's own
///   stock-shipped                   stock with CORSIKA's own flags, for the report's table
///   stock-gprof, patched-gprof      as asked, with -pg in FFLAGS, CFLAGS and LDFLAGS
///   stock-sampled, patched-sampled  as asked, with -g for the attribution of samples to lines
inline const std::vector<std::string> kBuilds{"stock",         "patched",        "patched-stage",
                                              "stock-shipped", "stock-gprof",    "patched-gprof",
                                              "stock-sampled", "patched-sampled"};

/// Sources, and what build_profile() made of them.
struct BuildSet {
  std::filesystem::path source;  ///< absolute; nobody writes there, builds are made in copies
  std::string source_id;         ///< good as a folder name: release and start of the checksum
  std::map<std::string, std::filesystem::path> programs;  ///< by build name, absolute
  Profile profile;                                        ///< parameters put in
  std::string card;  ///< the card to run, rendered, with relative paths only
  bool standin = false;
  std::string corsika_version;           ///< "7.7410", or "standin 1.0"
  std::string sha256;                    ///< of the archive, or of the tree's files where a folder was given
  std::string flags;                     ///< as asked: shipped, tuned or text
  std::string compilers;                 ///< one line: gfortran and gcc versions
  std::vector<std::string> notes;        ///< choices, one line each; printed, too
  std::vector<std::string> substitutes;  ///< what stands in for what is not at hand, likewise
  std::filesystem::path out;             ///< absolute; everything made is under it
  std::filesystem::path builds;  ///< absolute; folder of the builds with the flags that were asked for
  Proof conditions;              ///< of a proof of the Cherenkov stage in "patched"
  std::filesystem::path
      patched_tree;  ///< absolute; sources of the patched build, manifest.json beside it; or empty
  CherenkovStage cherenkov_stage;  ///< of the patched build; nothing where nothing was patched
  /// Data files that a run folder needs: name in the run folder -> absolute path.
  std::map<std::string, std::filesystem::path> data_files;
  /// Folders of tables that cards name as ../NAME, as in CORSIKA's own run folder: linked beside the run
  /// folders.
  std::map<std::string, std::filesystem::path> folders_beside;
};

/// Gets and checks the sources; an archive is unpacked once into OUT/source. Throws support::Error: no such
/// archive, OUT in the tree, wrong checksum, not a CORSIKA tree, a release outside 7.4 to 7.8, no space.
/// Nothing half-unpacked is left behind.
BuildSet obtain_source(const BuildRequest& asked);

/// Gets, checks, unpacks, configures, patches and builds what `which` names, and nothing that is already
/// there. Throws support::Error.
BuildSet build_profile(const BuildRequest& request, const std::vector<std::string>& which);

/// Makes a fresh folder `dest` (an Error where it exists and is not empty) with links to the data files and
/// the card as `dest/card`. Run there: `cd dest && EXECUTABLE < card > log`. Output appears in `dest` under
/// relative paths, the same for every build, because the telescope file holds the whole card and so these
/// paths. Returns dest, absolute. Tables that cards name as ../NAME get a folder NAME beside dest, made anew
/// for every run; an Error where one of that name is there that is not ours.
std::filesystem::path prepare_run_dir(const BuildSet& set, const std::string& card,
                                      const std::filesystem::path& dest);

/// Copies a program to the file `to`, and the shared libraries that other machines may lack into the folder
/// `libraries`. Folders are made. Throws support::Error where something cannot be copied or a library is
/// missing.
void copy_program(const std::filesystem::path& program, const std::filesystem::path& to,
                  const std::filesystem::path& libraries);

/// Copies a build's program into FOLDER/run with its libraries and tables, and tables that cards name as
/// ../NAME into FOLDER/NAME. Throws as copy_program() does.
void lay_out_program(const BuildSet& set, const std::string& build, const std::filesystem::path& folder);

/// Whether a file is a table that a run has kept beside the program (refraction_table_entry.cpp).
inline bool is_kept_table(const std::filesystem::path& file) {
  return file.filename().string().find(".refraction-") != std::string::npos;
}

}  // namespace overlay
