// CORSIKA's longitudinal distribution of Cherenkov light: the column "Cherenkov light" of its .long file.
#pragma once

#include <algorithm>

#include "cherenkov/curved_judge.hpp"

namespace cherenkov::corsika {

/// The longitudinal distribution, in CORSIKA's own memory; nothing is freed here. Bins are numbered from 1.
/// Lengths in cm, heights above sea level, depths in g/cm^2 from the top of the atmosphere. Bin b ends where
/// the shower axis has gone edge[b] cm from the top of the atmosphere, and edge[] rises; with kHeight bins
/// are of vertical depth, edge[b] is the height where bin b ends, and edge[] falls.
struct DepthProfile {
  /// The values of CHRKND in fortran-bindings/include/cherenkov_cerenk.inc.
  enum class Kind : std::int32_t {
    kSlant,
    kSlantSpread,  ///< releases whose CERLDE has no short cut for light of one bin
    kHeight        ///< without option SLANT
  };

  /// Of each bin, [0] to [max_bins]: PLONG(0,9). [0] is no bin; light before the first bin goes there.
  double* photons;
  const double* edge;     ///< [0] to [max_bins]; none after [bins + 1] is read: RLONG(0), HLONG(0)
  int bins;               ///< in use: NSTEP
  int max_bins;           ///< last index of both arrays: LNGMAX
  double bins_per_depth;  ///< 1/bin_depth, cm^2/g: THSTPI
  ShowerAxis axis;
  Kind kind = Kind::kSlant;
  double bin_depth = 0.;                  ///< of one bin, g/cm^2, for kHeight: THSTEP
  double (*depth_of)(double*) = nullptr;  ///< vertical depth, g/cm^2, of a height in cm, for kHeight: THICK

  /// How many of photons[] light may go to, from [0] on.
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(std::min(bins + 2, max_bins) + 1);
  }

  /// The bin that certainly holds all light emitted between two points (cm) of one straight step; 0 if there
  /// is no such bin, and always for kSlantSpread. likely: the bin that is tried first; may be any number.
  [[nodiscard]] int only_bin(const Step::Point& from, const Step::Point& to, int likely = 0) const;

  /// The same for kSlant, with the two points' distances along the shower axis (cm).
  [[nodiscard]] int only_bin(double from, double to, int likely) const;

  /// Adds a bunch emitted at `at`, half a spacing to either side (cm), as CORSIKA does: flat in depth.
  /// thickness: CORSIKA's slant depth, g/cm^2, after so many cm of the axis; not called for kHeight.
  void add(const Step::Point& at, const Step::Point& half, double photons,
           double (*thickness)(double*)) const;

  // The next three are for option CURVED, where CERLDE turns a point into the frame of the shower's axis, but
  // for kHeight. earth_radius is in cm.

  /// The bin that certainly holds all light between two points; 0 if none is known. slack: how far distances
  /// in between may be outside of those at both ends, cm. ranges: curved_bins().
  [[nodiscard]] int only_curved_bin(const Step::Point& from, const Step::Point& to, double slack,
                                    double earth_radius, const std::vector<DistanceRange>& ranges) const;

  /// Of each bin, from 1 on: distances along the axis that certainly lie in it. Ranges begin in rising order,
  /// also those that are empty.
  [[nodiscard]] std::vector<DistanceRange> curved_bins(double (*thickness)(double*)) const;

  /// As add().
  void add_curved(const Step::Point& at, const Step::Point& half, double photons, double earth_radius,
                  double (*thickness)(double*)) const;

 private:
  [[nodiscard]] int bin_of(double distance) const;  // LBIN
  [[nodiscard]] double curved_distance(double x, double y, double z, double earth_radius) const;
  [[nodiscard]] double near_curved_distance(const Step::Point& at, double earth_radius) const;
  void add_by_height(const Step::Point& at, const Step::Point& half, double photons) const;
  void add_between(int first, int last, double old_depth, double new_depth, double photons) const;
  void spread(int first, int last, double old_depth, double new_depth, double photons) const;
};

}  // namespace cherenkov::corsika
