// The work of one run of a production: `overlay production run DIR RUN`, the same under every engine. Writes
// in a folder of its own on scratch, and through results.hpp and attempts.hpp in the production's folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "overlay/production/exit_codes.hpp"

namespace overlay {

/// What a worker is told beside the run.
struct WorkerOptions {
  std::filesystem::path scratch;  ///< empty: see scratch_folder()
  std::filesystem::path overlay;  ///< this program
};

/// How it ended; `said` is one line for a person.
struct WorkerResult {
  WorkerExit exit = WorkerExit::done;
  std::string said;
};

/// Does a run unless it is published and its files' checksums are right. A run whose files are not right is
/// set aside and made again. An attempt that fails leaves attempts/RUN/ID.json. Throws nothing but what no
/// attempt can do anything about (std::bad_alloc and the like).
WorkerResult work_on_run(const std::filesystem::path& folder, std::int64_t run, const WorkerOptions& options);

}  // namespace overlay
