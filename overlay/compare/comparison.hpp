// What the steps of one comparison share, and the steps: first run, timed runs, profiled runs. Each runs
// programs by RunFolders and adds what it found to the report.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "overlay/attribution/profile_categories.hpp"
#include "overlay/build/build.hpp"
#include "overlay/compare/compare.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/report/report.hpp"
#include "overlay/run/run_folders.hpp"

namespace overlay {

struct Comparison {
  BuildSet& set;  ///< gains the tables of the first run
  const CompareOptions& options;
  RunCounts counts;
  RunFolders& runs;
  Report& report;
  std::map<std::string, std::string> stamps;  ///< stamps_of() the programs when the comparison began

  bool has(const std::string& build) const { return set.programs.count(build) != 0; }
  /// Runs a build with the card of the timed runs; a patched one with the parts of the patch that the
  /// options say.
  CompletedRun run(const std::string& build, const std::string& what) const;
  /// The same with a request of the caller's. An empty card is that of the timed runs. Variables in its
  /// environment replace those of the options. Throws Error where the program is no longer the one that the
  /// comparison began with.
  CompletedRun run(RunRequest request) const;
};

/// What tells the file of each program from one that is built in its place: build -> device, inode, time,
/// size.
std::map<std::string, std::string> stamps_of(const BuildSet& set);

/// Prints a note and puts it into the report.
void add_note(Report& report, const std::string& note);

/// Compares what two runs left. Dates in headers may be those of each run.
Identity compare_runs(const CompletedRun& a, const CompletedRun& b);

/// Runs stock once with a short card, uncounted. Where it writes tables (UrQMD's), patched runs, too, and
/// stock's tables go into the folders of all runs that follow: production runs find them there, too. Tables
/// that differ go to the report, which is then not identical. A run that fails becomes a note.
void prepare_tables(const Comparison& comparison);

/// The first pair of timed runs.
struct FirstPair {
  CompletedRun stock, patched;
};

/// Makes the pairs of timed runs. In the first RunCounts::parts pairs each part of the patch also runs alone,
/// if the stage did something. Compares the outputs of all with stock's. Returns the first pair. Throws
/// RunFailed where a run did not come to its end.
FirstPair run_timed_pairs(const Comparison& comparison);

/// Runs the command that the card's TELFIL names, if any, on the telescope data of each program of the pair.
/// Where the command fails, the report says so; the verdict on the bytes stays. Call it after all comparisons
/// with these runs: the command writes in their folders.
void run_card_command(const Comparison& comparison, const FirstPair& first);

/// Stock as CORSIKA ships it, timed.
void run_shipped(const Comparison& comparison, const CompletedRun& stock);

/// Pairs of runs under the CPU sampler, whose samples are counted into categories.
void run_sampled_pairs(const Comparison& comparison, const CategoryList& categories,
                       const std::filesystem::path& sampler, const CompletedRun& stock);

/// One run of each program under gprof.
void run_gprof(const Comparison& comparison, const CategoryList& categories);

}  // namespace overlay
