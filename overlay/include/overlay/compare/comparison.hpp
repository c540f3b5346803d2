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
  /// The same with what the caller fills in, its environment on top of that. Throws Error where the program
  /// is no longer the one that the comparison began with.
  CompletedRun run(RunRequest request) const;
};

/// What tells the file of each program from one that is built in its place: build -> device, inode, time,
/// size.
std::map<std::string, std::string> stamps_of(const BuildSet& set);

/// Prints a note and puts it into the report.
void add_note(Report& report, const std::string& note);

/// Compares what two runs left. Dates in headers may be those of each run.
Identity compare_runs(const CompletedRun& a, const CompletedRun& b);

/// Runs stock and patched once with a short card, uncounted, and puts the tables that a first run writes
/// (UrQMD's) into the folders of all runs that follow: production runs find them there, too. Both programs
/// must write the same.
void prepare_tables(const Comparison& comparison);

/// The first pair of timed runs.
struct FirstPair {
  CompletedRun stock, patched;
};

/// Pairs of timed runs, and of the first ones also each part of the patch alone; identity of all.
FirstPair run_timed_pairs(const Comparison& comparison);

/// Runs the command that the card's TELFIL names, if any, on the telescope data of each program of the pair.
/// Where it fails the report's identity is no, with the reason. Call it after all comparisons with these
/// runs: the command writes in their folders.
void run_card_command(const Comparison& comparison, const FirstPair& first);

/// Stock as CORSIKA ships it, timed.
void run_shipped(const Comparison& comparison, const CompletedRun& stock);

/// Pairs of runs under the CPU sampler, whose samples are counted into categories.
void run_sampled_pairs(const Comparison& comparison, const CategoryList& categories,
                       const std::filesystem::path& sampler, const CompletedRun& stock);

/// One run of each program under gprof.
void run_gprof(const Comparison& comparison, const CategoryList& categories);

}  // namespace overlay
