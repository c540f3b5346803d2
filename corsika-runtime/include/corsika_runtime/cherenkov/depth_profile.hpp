// Column "Cherenkov light" of CORSIKA's longitudinal distribution.
#pragma once

#include "cherenkov/step.hpp"

namespace cherenkov::corsika {

// What CORSIKA fills it by; all its own memory. Depth bins end where the shower axis has gone edge[b] cm;
// with kHeight they are of vertical depth, and edge[b] are the heights where they end.
struct DepthProfile {
  enum class Kind {
    kSlant,
    kSlantSpread,  // releases whose CERLDE has no short cut for light of one bin
    kHeight        // without option SLANT
  };

  double* photons;        // PLONG(0,9)
  const double* edge;     // RLONG(0), HLONG(0)
  int bins;               // NSTEP
  int most_bins;          // LNGMAX
  double bins_per_depth;  // THSTPI
  // How far along the axis a point is, in cm: x*along_x + y*along_y - z*along_z + start.
  double along_x, along_y, along_z, start;
  Kind kind = Kind::kSlant;
  double bin_depth = 0.;                  // THSTEP
  double (*depth_of)(double*) = nullptr;  // THICK: vertical depth of a height, for kHeight

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
  [[nodiscard]] int bin_of(double distance) const;  // LBIN
  [[nodiscard]] int only_bin_of_heights(double low, double high) const;
  void add_by_height(const Step::Point& at, const Step::Point& half, double photons) const;
  void spread(int first, int last, double old_depth, double new_depth, double photons) const;
};

}  // namespace cherenkov::corsika
