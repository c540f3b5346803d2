/// Which bunches of many steps can reach a telescope, chosen together and after the steps were made: what a
/// device needs to know of them, what it answers, and the same on the CPU.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cherenkov/ground.hpp"
#include "cherenkov/plane.hpp"
#include "cherenkov/ring.hpp"
#include "cherenkov/spheres.hpp"
#include "cherenkov/step.hpp"

namespace cherenkov {

/// Neighbouring bunches of a step that one refraction serves.
struct Stretch {
  Step step;
  Cone cone;              ///< of the whole step
  double slack;           ///< see ring_of, cm; infinite where the step reaches down to spheres.top()
  Doubt doubt;            ///< of its bunches' lines, with what choose() rounds; its slope holds for the step
  double bend_k;          ///< see Bend, cm
  std::int32_t first;     ///< number of the first bunch in its step, from 0
  std::int32_t bunches;   ///< of this stretch
  std::uint64_t azimuth;  ///< position of the first bunch's azimuth in the sequence
};

/// Where light can reach a telescope, for all stretches of a batch.
struct Scene {
  Plane plane{};
  Ground ground;    ///< a quick first look; its margin covers what is not known of positions
  Spheres spheres;  ///< for rings, and the last word
};

/// A bunch that may hit.
struct Chosen {
  double azimuth;        ///< in turns
  std::int32_t bunch;    ///< in its step, from 0
  std::int32_t stretch;  ///< in its batch
};

/// Those bunches of all stretches that may arrive where `scene` says that a telescope can be hit, by stretch
/// and bunch in order: on the safe side, as choose(). numbers: of the sequence from position `first` on, all
/// that the stretches need. Appended to `chosen`.
void choose_on_host(std::span<const Stretch> stretches, std::span<const double> numbers, std::uint64_t first,
                    const Scene& scene, std::vector<Chosen>& chosen);

}  // namespace cherenkov
