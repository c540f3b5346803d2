/// How far refraction moves the place where light arrives, measured by tracing rays. No side effects but
/// those of the given trace.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "cherenkov/step.hpp"

namespace cherenkov {

/// The shift of light by refraction in plane layers of air. Light that leaves height z in direction (u, v, w)
/// arrives at the detection plane shifted by
///   -k(z) (u, v) / w^3
/// against a straight line. With the refractive index n, k(z) is the integral of n(z') - n(z) over z' from
/// the plane to z, in cm. CORSIKA's IACT package computes the shift so too, from tables (Bernlohr, Astropart.
/// Phys. 30 (2008) 149).
class RefractionModel {
 public:
  struct Arrival {
    double shift;  ///< in x, cm
    double u;      ///< of its direction
  };
  /// Traces light that leaves `height` (cm) in direction (u, 0, w).
  using Trace = std::function<Arrival(double height, double u, double w)>;

  /// Slopes change by this, times |(u, v)|/w^3, at most: 1 - n/n(plane), for any air.
  static constexpr double kMaxSlopeChange = 5e-4;

  /// Least w that the formula is checked for: light at 78 degrees from the zenith.
  static constexpr double kMinW = 0.2;

  /// Measures k at 16383 heights from `low` to `high` (cm), and keeps every second in a table, so that its
  /// heights are (high - low)/8191 apart. Checks the formula at 129 of the 16383 heights, at 32 angles each,
  /// down to w = kMinW: shifts must follow it within relative_error() plus 0.001 cm, and slopes must change
  /// by no more than kMaxSlopeChange says. Throws std::runtime_error where they do not, and
  /// std::invalid_argument where low is not below high.
  static RefractionModel measured(double low, double high, const Trace& trace);

  struct RefractionRange {
    double k;      ///< in the middle of its range between the two heights
    double error;  ///< how far k differs from that between them, at most
  };
  /// The range of k between two heights in cm, in either order, both inside of what was measured. Between
  /// neighbouring heights of the table it is the range of k at both, half-way, and one height further on
  /// either side. k rises with height wherever the refractive index falls, as in air; there
  /// this range certainly contains k.
  [[nodiscard]] RefractionRange between(double from, double to) const;

  /// The table, for host and device: entry i is for a height of low + i / per_cm.
  struct View {
    const double *k, *error;
    int heights;
    double low, per_cm;

    /// between(), by lanes that share the heights.
    template <class Lanes>
    [[nodiscard]] CHERENKOV_HOST_DEVICE RefractionRange between(double from, double to,
                                                                const Lanes& lanes) const {
      const int first = at(lower(from, to)), last = at(higher(from, to));
      const double middle = 0.5 * (k[first] + k[last]);
      double most = 0.;
      for (int i = first + lanes.index(); i <= last; i += Lanes::kCount)
        most = higher(fabs(k[i] - middle) + error[i], most);
      return {middle, lanes.largest(most)};
    }

   private:
    [[nodiscard]] CHERENKOV_HOST_DEVICE int at(double height) const {
      return static_cast<int>(lower(higher((height - low) * per_cm, 0.), heights - 1.));
    }
  };
  [[nodiscard]] View view() const {
    return {k_.data(), error_.data(), static_cast<int>(k_.size()), low_, per_cm_};
  }

  /// Bound of the relative error of the formula's shift: 1e-4 (1 + 4/w^2). airmass: 1/w.
  [[nodiscard]] CHERENKOV_HOST_DEVICE static double relative_error(double airmass) {
    return 1e-4 * (1. + 4. * airmass * airmass);
  }

  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  double low_ = 0., high_ = 0., per_cm_ = 0.;
  std::vector<double> k_;      // equally spaced
  std::vector<double> error_;  // in the interval above each
};

/// The shift of light by refraction, as choose() takes it off where a straight line arrives: refraction_k, in
/// cm. error: how far light may then arrive from there, at most, with what CORSIKA and choose() round, cm.
struct ArrivalShift {
  double refraction_k, error;

  /// Whether footprints are wide enough for it.
  [[nodiscard]] CHERENKOV_HOST_DEVICE bool is_known() const { return error <= kFootprintMargin_cm; }
};

/// Refraction of the light of one step, as a bound:
///   error = s (|k| (relative error + spread) + error of k (1 + relative error + spread)) + rounding,
/// with s >= |(u, v)|/w^3 of all its light. docs/cherenkov-bound.md derives it.
/// CORSIKA's direction of a step is the mean of those at its ends, so shorter than 1 where the magnetic
/// field turned the particle. Its straight lines go by w as it is; refraction goes by u and v alone, that is
/// by
///   c^2 = 1 - u^2 - v^2 = w^2 + short (1 - sin^2(theta) cos^2(phi)),  short = 1 - |direction|^2
///   (short_of_unit),
/// and the shift k (u, v) / c^3 is (w/c)^3 of the one that choose() computes, which is least where w is.
/// (1 + short/w^2)^(-3/2) is between 1 - 3/2 short/w^2 and 1: factor and spread are the middle and half of
/// that.
struct RefractionBound {
  static constexpr double kSlopeRounding = 1e-6;  ///< of a slope, at most

  double airmass;          ///< 1/w, for the minimum w in the cone
  double max_shift_per_k;  ///< the maximum of |(u, v)|/w^3 of all light
  double short_of_unit;

  /// How far slopes may be from those at emission: refraction, and directions shorter than 1, whose light is
  /// recorded by u and v alone.
  [[nodiscard]] CHERENKOV_HOST_DEVICE double tilt() const {
    return max_shift_per_k * (RefractionModel::kMaxSlopeChange + fabs(short_of_unit)) + kSlopeRounding;
  }

  [[nodiscard]] CHERENKOV_HOST_DEVICE ArrivalShift of(const RefractionModel::RefractionRange& range) const {
    const double spread = 0.75 * higher(0., short_of_unit) * (airmass * airmass);
    const double relative = spread + RefractionModel::relative_error(airmass);
    return {range.k * (1. - spread),
            max_shift_per_k * (fabs(range.k) * relative + range.error * (1. + relative)) +
                kChooseRounding_cm + kMaxStepRounding_cm};
  }
};

}  // namespace cherenkov
