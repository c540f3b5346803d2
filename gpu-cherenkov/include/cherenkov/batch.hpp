/// Selects, for many steps at once, the bunches that may reach a telescope: what a device needs to know of
/// the steps, what it answers, and the same on the CPU. The bound is that of docs/cherenkov-bound.md. No side
/// effects.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cherenkov/footprint_map.hpp"
#include "cherenkov/plane.hpp"
#include "cherenkov/ring.hpp"
#include "cherenkov/spheres.hpp"
#include "cherenkov/step.hpp"

namespace cherenkov {

/// Neighbouring bunches of a step for which one value of refraction_k is used.
struct StepSegment {
  Step step;
  ConeBounds cone;      ///< of the whole step
  double ground_slack;  ///< see ring_of, cm; infinite where the step reaches down to spheres.top()
  /// Uncertainty of its bunches' lines; includes choose()'s rounding. Its `slope` is a bound for the whole
  /// step, and serves as ring_of's tilt.
  LineUncertainty uncertainty;
  double refraction_k;   ///< see RefractionModel, cm
  std::int32_t first;    ///< number of the first bunch in its step, from 0
  std::int32_t bunches;  ///< of this segment; may be above kMaxBunches
  /// Position of the first bunch's azimuth in the sequence, from 0. Each bunch has one number.
  std::uint64_t first_azimuth_number;
};

/// The detection plane and the telescopes on it, for all segments of a batch.
struct ArrayGeometry {
  Plane plane{};
  FootprintMap ground;  ///< the first test; its margin covers the error of positions
  Spheres spheres;      ///< for rings, and for the final test of a bunch
};

/// A bunch that may hit.
struct CandidateBunch {
  double azimuth;        ///< azimuth/(2 pi), 0 to 1
  std::int32_t bunch;    ///< in its step, from 0
  std::int32_t segment;  ///< in its batch
};

/// Selects the bunches of all segments that may arrive where `geometry` says that a telescope can be hit, and
/// appends them to `chosen`, ordered by segment, then bunch. Conservative, as choose(): no bunch that CORSIKA
/// would record is rejected. numbers: of the sequence from position `first_position` on, all that the
/// segments need.
void choose_on_host(std::span<const StepSegment> segments, std::span<const double> numbers,
                    std::uint64_t first_position, const ArrayGeometry& geometry,
                    std::vector<CandidateBunch>& chosen);

}  // namespace cherenkov
