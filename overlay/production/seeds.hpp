// Seeds of a production's runs. Computes only.
#pragma once

#include <cstdint>

#include "overlay/production/plan.hpp"

namespace overlay {

/// Seeds in a seed block (a place in the ledger): in a row, one for each sequence of a run.
inline constexpr std::int64_t kSeedsOfRun = 10;
/// Event headers hold a seed as a 32-bit float, exact below 2^24.
inline constexpr std::int64_t kSeedLimit = std::int64_t{1} << 24;
/// Seed blocks in a ledger: the last one's seeds are below kSeedLimit.
inline constexpr std::int64_t kPlaces = (kSeedLimit - 1) / kSeedsOfRun;
/// Event headers hold millions of skipped numbers as a 32-bit float: exact below 2^24 of them, 1.7 10^13
/// numbers.
inline constexpr std::int64_t kOffsetLimit = (std::int64_t{1} << 24) * 1'000'000;

/// Seed of a sequence (from 1, at most kSeedsOfRun) of the run with a seed block: 1 + 10 * place + sequence
/// - 1. Two seed blocks share no seed, so the sequences of two runs start from different states.
constexpr std::int64_t planned_seed(std::int64_t place, int sequence) {
  return 1 + kSeedsOfRun * place + (sequence - 1);
}

/// Seed blocks that a production takes from the ledger: one a run, or a single one with offsets.
std::int64_t places_of(const ProductionPlan& plan);

/// Throws support::Error where the plan's seeds are out of range or could meet: more sequences than a seed
/// block has seeds, seed blocks beyond kPlaces, or offsets beyond kOffsetLimit.
void check_seed_range(const ProductionPlan& plan);

}  // namespace overlay
