// What a worker checks first: see the header.
#include "overlay/production/worker_steps.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>

#include "overlay/production/attempts.hpp"
#include "overlay/production/exit_codes.hpp"
#include "overlay/production/made_run.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;

RunInput checked_input(const ProductionPlan& plan, const fs::path& folder, std::int64_t run) {
  // Those that this run reads: bin/corsika/, not the stock program, nor runs.tsv, whose line is checked by
  // itself.
  const std::string ours = fs::path(plan.program).parent_path().parent_path().string() + "/";
  for (const auto& [name, sum] : plan.files) {
    if (!name.starts_with(ours) && name != "card.template") continue;
    std::error_code error;
    if (!fs::is_regular_file(folder / name, error))
      throw WorkerError(WorkerExit::never,
                        fmt::format("{} is missing; restore it", (folder / name).string()));
    if (support::sha256_of_file(folder / name) != sum)
      throw WorkerError(
          WorkerExit::never,
          fmt::format("{} is not the file that production.toml names: its checksum differs; restore it",
                      (folder / name).string()));
  }
  try {
    RunInput input;
    input.run = read_run(plan, folder, run);
    input.card = run_card(plan, support::read_file(folder / "card.template"), input.run);
    return input;
  } catch (const support::Interrupted&) {
    throw;
  } catch (const support::Error& problem) {
    throw WorkerError(WorkerExit::never, problem.what());
  }
}

NodeClass checked_class(const ProductionPlan& plan, const fs::path& folder, const fs::path& overlay,
                        const fs::path& scratch, const std::function<void()>& check) {
  if (plan.class_policy == "any") return {};
  const support::TemporaryFolder probe(scratch, "class-probe");
  NodeClass own;
  try {
    own = measure_node_class(plan, folder, {overlay, probe.path(), check});
  } catch (const AttemptFailed& failure) {
    // Not the run's own failure: two of these poison no run.
    throw WorkerError(failure.status(),
                      fmt::format("the probe of this node's class failed: {}", failure.what()));
  }
  const auto known = production_class(folder);
  const std::string difference = class_difference(own, known ? *known : claim_class(folder, own));
  if (!difference.empty())
    throw WorkerError(
        WorkerExit::other_bits,
        fmt::format("{} is of another class than the production's nodes: {}; run it elsewhere, or plan "
                    "with --processors pinned",
                    host_name(), difference));
  return own;
}

std::string libm_file() {
  double (*function)(double) = std::sin;
  Dl_info found{};
  if (dladdr(reinterpret_cast<void*>(function), &found) == 0 || found.dli_fname == nullptr) return {};
  std::error_code error;
  const fs::path file = fs::canonical(found.dli_fname, error);
  return error || file.filename().string().rfind("libm", 0) != 0 ? std::string() : file.string();
}

}  // namespace overlay
