// One run of the curved geometry twice: as CORSIKA does it, and with the stage.
#pragma once

#include <cmath>

#include "corsika_runtime/cherenkov/exponential_air.hpp"
#include "plain_curved.hpp"
#include "played_curved.hpp"
#include "two_runs.hpp"

namespace cherenkov::test {

inline constexpr double kEarth_cm = 6.371315e8;

inline double curved_index(double* height) { return 1. + Atmosphere::refractivity(*height); }

inline corsika::Emission curved_emission() { return {0., 400., 5., 0., true, curved_index, nullptr}; }

// The same index from densities, in four layers of the same scale height.
inline double curved_density(double* height) {
  constexpr double kPerCm = 1. / Atmosphere::kScale;
  return *height < 1.3e7 ? Atmosphere::kSeaLevel * std::exp(-*height * kPerCm) : 1e-12;
}

inline corsika::Emission curved_air_emission() {
  constexpr double kBoundary[] = {0., 4e5, 1e6, 4e6, 1.3e7}, kPerCm = 1. / Atmosphere::kScale;
  constexpr double kSlopes[] = {kPerCm, kPerCm, kPerCm, kPerCm, 1e-12};
  static const auto kAir = corsika::ExponentialAir::measured(kBoundary, kSlopes, curved_density);
  return {0., 400., 5., 1., false, nullptr, curved_density, kAir ? &*kAir : nullptr};
}

inline const corsika::CurvedLight kLight{kEarth_cm, CurvedTable::distance, CurvedTable::time};

class CurvedRuns : public TwoRuns {
 protected:
  CurvedRuns() : TwoRuns(97) {}

  void new_curved_event(double max_zenith) {
    new_event(max_zenith, random.turn() < 0.8, 0., 0.);
    for (Shower* one : {&shower, &staged_shower}) {
      one->context.plane.x0 = one->context.plane.y0 = 0.;
      one->context.curved = kLight;
    }
  }

  // In the detector's frame or not; some below threshold, in part or in all.
  CurvedLoop loop_of(const ParticleStep& particle) {
    CurvedLoop loop{};
    loop.step = particle.step;
    loop.stops_at_plane = random.turn() < 0.7;
    const double drop = loop.stops_at_plane ? random.logarithmic(1., 3e5) : 0.;
    loop.apparent_before = particle.step.before.z - drop;
    loop.apparent_between = particle.step.between.z * (loop.stops_at_plane ? random.uniform(0.99, 1.01) : 1.);
    loop.half_z = 0.5 * particle.step.between.z;
    loop.mass = 5.11e-4;
    double height = particle.step.before.z;
    const double threshold = loop.mass / std::sqrt(1. - 1. / std::pow(curved_index(&height), 2));
    loop.energy =
        threshold * (random.turn() < 0.2 ? random.uniform(0.98, 1.05) : random.logarithmic(1.02, 1e3));
    loop.index_height = particle.step.before.z + particle.step.bunches * particle.step.between.z;
    loop.index_excess = curved_density(&loop.index_height);
    loop.energy_slope =
        -random.logarithmic(1e-9, 0.01) * loop.energy / (particle.step.bunches * particle.step.between.path);
    return loop;
  }
};

}  // namespace cherenkov::test
