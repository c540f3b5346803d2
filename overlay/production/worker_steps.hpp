// The checks that a worker makes before it runs anything. Reads the production's folder; the check of the
// node's class runs a short shower on scratch and may write node-class.json.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "overlay/production/node_class.hpp"
#include "overlay/production/plan.hpp"

namespace overlay {

/// A run and its card.
struct RunInput {
  PlannedRun run;
  std::string card;
};

/// The run's line of runs.tsv and its card, once the checksums of card.template, of the patched program and
/// of its tables are right. Throws WorkerError with WorkerExit::never where anything is not what the plan
/// says.
RunInput checked_input(const ProductionPlan& plan, const std::filesystem::path& folder, std::int64_t run);

/// This node's class. Throws WorkerError (other_bits) where it is not the production's, and as
/// measure_node_class() does. A production without a class gets this node's. Where the plan's policy is "any"
/// nothing is measured, and an empty class comes back. The probe's run folder is made below `scratch` and
/// removed.
NodeClass checked_class(const ProductionPlan& plan, const std::filesystem::path& folder,
                        const std::filesystem::path& overlay, const std::filesystem::path& scratch,
                        const std::function<void()>& check);

/// The file of the libm that this process has loaded; empty where it cannot be told.
std::string libm_file();

}  // namespace overlay
