// Column "Cherenkov light" of CORSIKA's longitudinal distribution, along slant depth.
#pragma once

#include "cherenkov/step.hpp"

namespace cherenkov::corsika {

// What CORSIKA fills it by; all its own memory. Depth bins end where the shower axis has gone edge[b] cm.
struct DepthProfile {
  double* photons;        // PLONG(0,9)
  const double* edge;     // RLONG(0)
  int bins;               // NSTEP
  int most_bins;          // LNGMAX
  double bins_per_depth;  // THSTPI
  // How far along the axis a point is, in cm: x*along_x + y*along_y - z*along_z + start.
  double along_x, along_y, along_z, start;

  [[nodiscard]] double distance(double x, double y, double z) const {
    return x * along_x + y * along_y - z * along_z + start;
  }

  // The bin that surely holds all light emitted between two points (cm) of one straight step; 0 if none does.
  [[nodiscard]] int only_bin(const Step::Point& from, const Step::Point& to) const;

  // Adds a bunch emitted at `at`, half a spacing to either side, as CORSIKA does: flat in depth. thickness is
  // CORSIKA's slant depth after so many cm of the axis.
  void add(const Step::Point& at, const Step::Point& half, double photons,
           double (*thickness)(double*)) const;

 private:
  [[nodiscard]] int bin_of(double distance, int from) const;  // LBIN
};

}  // namespace cherenkov::corsika
