// The files by which an engine runs a production: htcondor/, slurm/ or local/ in the production's folder.
// Plain text; they hold the folder's own path, so they are written anew where the folder was moved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "overlay/production/plan.hpp"

namespace overlay {

/// What a run asks of the node that it runs on.
struct EngineRequests {
  std::int64_t memory_mib = 2048;
  std::int64_t disk_mib = 4096;
  std::int64_t minutes = 1440;
  bool from_pilot = false;  ///< from pilot.json, which `overlay production check` leaves
};

/// The options of `overlay production emit`.
struct EmitRequest {
  std::filesystem::path folder;       ///< of the production
  std::string engine;                 ///< htcondor, slurm or local
  std::int64_t memory_mib = 0;        ///< 0: from the pilot
  std::int64_t disk_mib = 0;          ///< 0: from the pilot
  std::int64_t minutes = 0;           ///< 0: from the pilot
  int retries = 5;                    ///< htcondor: of a run that may yet succeed
  std::string avoid = "machine";      ///< htcondor, after exit 69: another machine, or another "slot"
  std::int64_t array_size = 1000;     ///< slurm: runs of one array, at most its MaxArraySize less 1
  std::int64_t nodes_of_dag = 10000;  ///< htcondor: runs of one DAG; more become DAGs below one
  std::vector<std::string> lines;     ///< lines for the engine's job file, as they are: a queue, an account
};

/// What was written.
struct Emitted {
  std::filesystem::path start;  ///< the file that the user hands to the engine
  std::string command;          ///< by which
  EngineRequests requests;
};

/// What a run needs, with room to spare: 1.5 times the memory and disk, and 4 times the time, that the pilot
/// runs foretell for a whole run; at least 256 MiB of each, and 15 minutes. The defaults of EngineRequests
/// where there was no pilot. Throws support::Error where pilot.json is damaged.
EngineRequests engine_requests(const std::filesystem::path& folder);

/// Writes the files of an engine. Throws support::Error where an option is out of range, where the folder's
/// path holds characters that these files cannot, and where a file cannot be written.
Emitted emit_production(const EmitRequest& request);

}  // namespace overlay
