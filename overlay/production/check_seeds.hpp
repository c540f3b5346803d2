// Whether runs share random numbers. Computes only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overlay/production/seed_sources.hpp"

namespace overlay {

/// What a comparison of runs' streams found.
struct SeedReport {
  std::vector<std::string> repeats;  ///< one line for each group of runs that begin alike in all sequences
  std::vector<std::string>
      overlaps;  ///< one line for each stretch of a seed's stream that more than one sequence uses
  std::vector<std::string> unknown;  ///< what cannot be known from these files, one line each
  std::int64_t runs = 0;             ///< that were compared
  std::int64_t repeating = 0;        ///< runs that repeat an earlier one of the list: those to be made again
  bool clean() const { return repeats.empty() && overlaps.empty(); }
};

/// Compares the streams of all runs. A card, a log and an output file of the same run number that begin alike
/// are taken for one run, and `unknown` says so; two of the same kind never are.
SeedReport compare_seeds(std::vector<RunSeeds> runs);

}  // namespace overlay
