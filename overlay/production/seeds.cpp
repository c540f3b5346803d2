// Seeds of a production's runs. Computes only.
#include "overlay/production/seeds.hpp"

#include <fmt/format.h>

#include "support/error.hpp"

namespace overlay {

std::int64_t places_of(const ProductionPlan& plan) {
  return plan.seeds == SeedMode::offsets ? 1 : plan.run_count();
}

void check_seed_range(const ProductionPlan& plan) {
  if (plan.sequences < 1 || plan.sequences > kSeedsOfRun)
    throw support::Error(
        fmt::format("a run cannot have {} sequences; give 1 to {}", plan.sequences, kSeedsOfRun));
  if (plan.first_place < 0 || plan.first_place > kPlaces - places_of(plan))
    throw support::Error(
        fmt::format("{} runs from place {} of the ledger on need seeds above {}, which event headers do not "
                    "hold exactly; "
                    "a ledger has {} places: give fewer runs, --seeds offsets, or another --ledger",
                    places_of(plan), plan.first_place, kSeedLimit, kPlaces));
  if (plan.seeds == SeedMode::planned) return;
  if (plan.stride < 1'000'000 || plan.stride % 1'000'000 != 0)
    throw support::Error(
        fmt::format("--stride cannot be {}; give numbers per run, in whole millions", plan.stride));
  if (plan.run_count() > kOffsetLimit / plan.stride)
    throw support::Error(
        fmt::format("{} runs of {} numbers pass {}, beyond which event headers do not hold an offset "
                    "exactly; give at most "
                    "{} runs, or a smaller --stride",
                    plan.run_count(), plan.stride, kOffsetLimit, kOffsetLimit / plan.stride));
}

}  // namespace overlay
