// One run made in a folder on a node's scratch disk, and checked. Writes in that folder alone.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "overlay/production/plan.hpp"
#include "overlay/production/results.hpp"

namespace overlay {

/// Where runs are made: `asked` where it is not empty, else the first that is a folder of
/// $_CONDOR_SCRATCH_DIR, $SLURM_TMPDIR, $TMPDIR; else /tmp. Absolute. Throws WorkerError (try_again) where
/// `asked` is no folder.
std::filesystem::path scratch_folder(const std::filesystem::path& asked);

/// The card of a run, once the checksums of card.template and of the files of `program` (plan.program or
/// plan.stock) are right. Throws WorkerError (never) where anything is not what the plan says.
std::string checked_card(const ProductionPlan& plan, const std::filesystem::path& folder,
                         const std::string& program, const PlannedRun& run);

/// What to run.
struct RunOrder {
  const ProductionPlan& plan;
  std::filesystem::path production;  ///< the production's folder
  std::string program;               ///< below it: plan.program or plan.stock
  PlannedRun run;
  std::string card;
  std::filesystem::path scratch;  ///< a folder of ours; the run is made in attempt/run below it
  std::function<void()> check;    ///< called about once a second; may throw
};

/// What a whole run left.
struct FinishedRun {
  std::vector<OutputFile> outputs;  ///< log and Cherenkov output included
  RunCost cost;
  std::map<std::string, std::string> cherenkov, generator;
  std::vector<std::string> messages;  ///< of the Cherenkov stage, but for its summary
};

/// Makes the run folder: the card, and links to the program's tables, also those that cards name as ../NAME.
/// Runs the program, checks its outputs (check_outputs()), and hands its telescope data to the card's command
/// where there is one. Throws WorkerError where the program crashed, was killed or left an incomplete run,
/// the command failed, the disk is full or the program cannot be started.
FinishedRun make_run(const RunOrder& order);

}  // namespace overlay
