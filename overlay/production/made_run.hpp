// One run made in a folder on scratch, and checked. Writes in that folder alone.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "overlay/production/exit_codes.hpp"
#include "overlay/production/manifest.hpp"
#include "overlay/production/plan.hpp"
#include "overlay/production/publish.hpp"

namespace overlay {

/// What to run.
struct RunOrder {
  const ProductionPlan& plan;
  std::filesystem::path production;  ///< the production's folder
  std::string program;               ///< below it: plan.program or plan.stock
  PlannedRun run;
  std::string card;
  std::filesystem::path scratch;  ///< an empty folder of ours
  std::function<void()> check;    ///< called about once a second; may throw
  bool feed_command = true;       ///< hand the telescope data to the card's command, if there is one
};

/// An attempt that failed by what the program or the card's command did, or by content that disagrees.
class AttemptFailed : public WorkerError {
 public:
  AttemptFailed(WorkerExit exit, std::string outcome, long shower, const std::string& message)
      : WorkerError(exit, message), outcome_(std::move(outcome)), shower_(shower) {}
  const std::string& outcome() const { return outcome_; }  ///< as Attempt::outcome
  long shower() const { return shower_; }                  ///< as Attempt::shower

 private:
  std::string outcome_;
  long shower_;
};

/// What a whole run left.
struct MadeRun {
  std::vector<OutputFile> outputs;  ///< log and Cherenkov output included
  RunCost cost;
  std::map<std::string, std::string> cherenkov, generator;
  std::vector<std::string> messages;  ///< of the Cherenkov stage, but for its summary
};

/// Runs the program, checks its outputs (check_outputs()), and hands its telescope data to the card's command
/// where there is one. Throws AttemptFailed where the program crashed, was killed or left an incomplete run,
/// or the command failed; WorkerError where the disk is full or the program cannot be started.
MadeRun make_run(const RunOrder& order);

}  // namespace overlay
