// Folders in which a production's runs are made. Writes below a node's scratch folder alone.
#pragma once

#include <filesystem>
#include <string>

#include "overlay/production/plan.hpp"

namespace overlay {

/// Where runs are made: `asked` where it is not empty, else the first that is a folder of
/// $_CONDOR_SCRATCH_DIR, $SLURM_TMPDIR, $TMPDIR; else /tmp. Absolute. Throws WorkerError (try_again) where
/// `asked` is no folder.
std::filesystem::path scratch_folder(const std::filesystem::path& asked);

/// Makes the run folder `parent`/run: the card, and links to the tables beside `program` (a path below the
/// production's folder). Makes `parent`/NAME for each folder of tables that cards name as ../NAME. Returns
/// the run folder. `parent` must be empty. Throws WorkerError: disk_full or try_again.
std::filesystem::path make_run_folder(const std::filesystem::path& production, const std::string& program,
                                      const std::string& card, const std::filesystem::path& parent);

}  // namespace overlay
