// What the two runs of brute_force share: its options, what it counts, and the line of progress.
//
// The plain loop is CERENK's loop without the stage: it follows every bunch. In half of the random showers
// footprints count: a bunch that arrives in a footprint is a hit. In the others spheres count: a hit must
// also pass the telescope's sphere.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "package.hpp"

namespace cherenkov::test {

struct Options {
  std::uint64_t bunches = 1000000, seed = 1;
  /// Faults that are planted in what the stage is told: half-widths of footprints and radii of spheres that
  /// are too small by so many cm, and refraction times this factor.
  double weaken = 0., weaken_spheres = 0., weaken_refraction = 1.;
  double zenith = -1.;  ///< largest zenith angle of a shower, degrees; below 0: 60, with curved 85
  /// expect_misses: succeed only where the stage misses hits.
  bool curved = false, quiet = false, expect_misses = false;
};

/// Steps of the curved geometry, and how near light came to spheres in those that were skipped as a whole.
struct WholeSteps {
  std::uint64_t steps = 0, skipped = 0;  ///< that the stage took; that the test of the whole step skipped
  // Of skipped steps only those whose CurvedStep has `aimed` and `unit`, and where spheres count.
  std::uint64_t near = 0;     ///< steps with CurvedStep::outside below 1 m
  double nearest = HUGE_VAL;  ///< least CurvedStep::outside, cm; below 0: inside of a sphere
};

struct Totals {
  std::uint64_t bunches = 0,
                left = 0;  ///< of steps that the stage took, and of those that it left to CORSIKA
  /// Bunches that the stage followed; hits of the plain loop; those of these that the stage lacks; hits that
  /// only the stage has, or that it has with other bits.
  std::uint64_t traced = 0, hits = 0, missed = 0, altered = 0;
  std::uint64_t footprints = 0, spheres = 0;  ///< hits of showers where these count
  WholeSteps whole, beyond_60;                ///< all; those of showers beyond 60 degrees
};

/// Adds the hits of one event to `totals`. The stage's hits are those of the plain loop in their order, less
/// what it missed.
void compare(const std::vector<Hit>& plain, const std::vector<Hit>& staged, Totals& totals);

/// A line on standard error, once a second at most.
class Progress {
 public:
  /// all: bunches to come.
  Progress(std::uint64_t all, bool quiet) : all_(all), quiet_(quiet) {}
  void show(const Totals& totals);
  [[nodiscard]] double seconds() const;

 private:
  std::uint64_t all_;
  bool quiet_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), last_ = begin_;
};

/// Adds some showers at one observatory. Throw std::runtime_error where sums or draws differ, and where the
/// stage refuses.
void run_flat(const Options& options, Random& random, Totals& totals, Progress& progress);
void run_curved(const Options& options, Random& random, Totals& totals, Progress& progress);

}  // namespace cherenkov::test
