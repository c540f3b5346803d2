// overlay production: thousands of runs of one plan, on a cluster or here. Prints what was done.
#include <fmt/format.h>

#include "commands.hpp"
#include "overlay/production/seeds.hpp"
#include "production_commands.hpp"

namespace overlay {
namespace {

/// "1 run", "3,000 runs" without the comma: numbers as other programs read them.
std::string counted(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

int run_production_new(NewProduction request) {
  request.program = program_folder() / "overlay";
  const auto plan = create_production(request);
  const auto folder = request.folder.string();
  fmt::print("production {}: {} of {}, runs {} to {}, {}\n", plan.name,
             counted(plan.run_count(), "run", "runs"), counted(plan.showers, "shower", "showers"),
             plan.first_run, plan.last_run(),
             counted(static_cast<std::int64_t>(plan.settings.size()), "setting", "settings"));
  if (plan.seeds == SeedMode::planned)
    fmt::print("seeds      {} to {}, each used once\n", planned_seed(plan.first_place, 1),
               planned_seed(plan.first_place + plan.run_count() - 1, plan.sequences));
  else
    fmt::print("seeds      {} to {} for all runs, {} numbers apart\n", planned_seed(plan.first_place, 1),
               planned_seed(plan.first_place, plan.sequences), plan.stride);
  fmt::print("CORSIKA    {}, profile {}, {}\n", plan.corsika_version, plan.profile, plan.program);
  fmt::print(
      "next       overlay production check {0}; overlay production emit {0} --for htcondor, slurm or local\n",
      folder);
  return 0;
}

int run_production_emit(EmitRequest request) {
  const auto emitted = emit_production(request);
  fmt::print("a run gets {} MiB of memory, {} MiB of disk, {} minutes: {}\n", emitted.requests.memory_mib,
             emitted.requests.disk_mib, emitted.requests.minutes,
             emitted.requests.from_pilot ? "from the pilot run"
                                         : "there was no pilot run; overlay production check makes one");
  fmt::print("next       {}\n", emitted.command);
  return 0;
}

}  // namespace overlay
