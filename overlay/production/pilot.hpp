// What a production will need, seen before it is submitted: one short run of each setting. Writes pilot.json
// and node-class.json in the production's folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overlay/production/plan.hpp"

namespace overlay {

/// The options of `overlay production check`.
struct PilotRequest {
  std::filesystem::path folder;   ///< of the production
  std::filesystem::path overlay;  ///< this program
  std::filesystem::path scratch;  ///< empty: as a worker chooses
  long showers = 10;              ///< of a pilot run, 1 or more; at most the plan's are made
};

/// One pilot run, and what a whole run will need by it.
struct PilotRun {
  std::int64_t run = 0;  ///< whose seeds and setting it had
  long showers = 0;
  double startup_s = 0, cpu_s_per_shower = 0;  ///< of the pilot run, CPU time
  double seconds = 0;                          ///< wall time of a whole run
  double memory_mib = 0;                       ///< peak
  double disk_mib = 0;                         ///< outputs of a whole run on scratch
  double packed_mib = 0;                       ///< as they are kept
  std::vector<std::string> messages;           ///< FinishedRun::messages
};

/// What was found.
struct PilotReport {
  std::vector<PilotRun> runs;         ///< one a setting
  std::vector<std::string> facts;     ///< what is as it should be, one line each
  std::vector<std::string> problems;  ///< what is not; none: the production can be submitted
};

/// Checks the plan's numbers, all files' checksums, this node's class and the disks, and makes the pilot
/// runs, whose largest needs go to pilot.json. A problem is reported, not thrown; throws support::Error where
/// the plan cannot be read, pilot.json not be written, or fewer than 1 shower is asked for.
PilotReport check_production(const PilotRequest& request);

}  // namespace overlay
