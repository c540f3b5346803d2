/// One straight step of a charged particle, and where its Cherenkov light leaves it; the plane that light is
/// followed to; the cone of a step's light; and the limits that the bounds of light go by.
/// docs/cherenkov-bound.md says where these come from.
#pragma once

#include <cmath>
#include <cstdint>

// What kernels compute, too.
#ifdef __CUDACC__
#define CHERENKOV_HOST_DEVICE __host__ __device__
#else
#define CHERENKOV_HOST_DEVICE
#endif

namespace cherenkov {

/// As SIMD lanes of the CPU compute them: b if either is NaN.
CHERENKOV_HOST_DEVICE inline double lower(double a, double b) { return a < b ? a : b; }
CHERENKOV_HOST_DEVICE inline double higher(double a, double b) { return a > b ? a : b; }

/// A step emits `bunches` bunches, equally spaced. The emission point is a running sum: bunch i (from 0)
/// stands at `before` with `between` added i+1 times, one after the other, so its last bits depend on that
/// order. Lengths in cm, heights above sea level, z upwards; times in s.
struct Step {
  struct Point {
    double path;     ///< along the step, cm
    double x, y, z;  ///< cm
    double time;     ///< s
  };

  int bunches;    ///< at least 1
  Point before;   ///< one spacing before the first bunch
  Point between;  ///< from one bunch to the next

  /// beta*n of a bunch is `beta_n + beta_n_slope * path`, with the bunch's path in cm; beta is the particle's
  /// speed over that of light, n the refractive index. With `beta_n_slope` 0 it is `beta_n` itself.
  double beta_n;        ///< at path 0
  double beta_n_slope;  ///< per cm
  /// Photons of a bunch over the squared sine of its Cherenkov angle, without its weight (of option THIN; 1
  /// else).
  double photons_per_sin2;
  double weight = 1.;

  /// The particle's frame: a photon at angle theta to the particle and azimuth phi around it flies in
  /// direction
  ///   u = cu * cos(phi) sin(theta) + su * sin(phi) sin(theta) + u0 * cos(theta)   (v alike)
  ///   w =                            sw * sin(phi) sin(theta) + w0 * cos(theta)   (w positive downwards)
  double cu, su, u0;
  double cv, sv, v0;
  double sw, w0;
};

/// Emission point of the next bunch after `at`.
inline Step::Point next_point(const Step::Point& at, const Step::Point& between) {
  return {at.path + between.path, at.x + between.x, at.y + between.y, at.z + between.z,
          at.time + between.time};
}

enum class LightKind {
  kNone,  ///< CERENK returns before it draws a number
  /// The stage may do the whole step. In flat air, but for a LightOption, beta*n is then linear along it, or
  /// it is one bunch.
  kWhole,
  /// Light of another kind, for which there are no bounds of the whole step: beta*n is not linear, the
  /// particle is vertical, or there are more bunches than an int holds. Each bunch is tested by itself where
  /// the step has at most 100; else CORSIKA emits it. (Whether the bounds hold for a step of kWhole:
  /// StepPlan::bounded.)
  kOther
};

/// The first of `count` rising numbers for which `is_above` is true; count if there is none.
template <class IsAbove>
CHERENKOV_HOST_DEVICE inline int first_above(int count, const IsAbove& is_above) {
  int begin = 0;
  for (int end = count; begin < end;) {
    const int middle = (begin + end) / 2;
    if (is_above(middle))
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
}

/// Goes from one bunch of a step to a later one.
class BunchPlaces {
 public:
  BunchPlaces(const Step::Point& before, const Step::Point& between) : at_(before), between_(between) {}
  /// Emission point of bunch i, from 0; -1: one spacing before. i must not fall.
  const Step::Point& go_to(int i) {
    for (; last_ < i; ++last_) at_ = next_point(at_, between_);
    return at_;
  }

 private:
  Step::Point at_, between_;
  int last_ = -1;
};

/// Half of the way from one bunch to the next.
inline Step::Point half_of(const Step::Point& between) {
  return {0.5 * between.path, 0.5 * between.x, 0.5 * between.y, 0.5 * between.z, 0.};
}

/// The detection plane, and the rotation (ARRANG) and shifts from CORSIKA's x and y to the telescopes' frame:
///   x' =  (x - x0) cos_turn + (y - y0) sin_turn - x_impact
///   y' = -(x - x0) sin_turn + (y - y0) cos_turn - y_impact
struct Plane {
  double height;              ///< above sea level, cm
  double x0, y0;              ///< origin of the telescopes' frame in CORSIKA's, cm
  double cos_turn, sin_turn;  ///< of the angle from CORSIKA's x axis to the telescopes'
  /// Subtracted after the rotation, cm: the IACT package's impact_offset, its estimate of how far the
  /// geomagnetic field deflects a charged primary. Not the position of the shower's core.
  double x_impact, y_impact;

  friend bool operator==(const Plane&, const Plane&) = default;
};

inline constexpr double kTopOfAtmosphere_cm = 1.128e7;  ///< CORSIKA's
/// For what rounding brings into CORSIKA's own positions.
inline constexpr double kMaxStepRounding_cm = 1.;
inline constexpr double kChooseRounding_cm =
    2.;  ///< of choose(): 0.1 cm and 1e-8 of a path of 600 km, rounded up
/// Footprints are widened by this. A step is not bounded if the error of positions on the detection plane (E
/// in docs/cherenkov-bound.md) may be larger in one of its segments of 100 bunches.
inline constexpr double kFootprintMargin_cm = 40.;
/// Of distances along the shower's axis: emission points are sums of up to 16,384 terms of 1e8 cm at most,
/// good to 2e-4 cm; with option CURVED distances are good to 4e-3 cm.
inline constexpr double kBinRounding_cm = 1e-2;
/// With option CURVED: of light's w; at or below it nothing is bounded.
inline constexpr double kLeastCurvedW = 0.03;
inline constexpr double kThresholdMargin = 1e-9;  ///< of beta n
/// A direction's squared length may be above 1 by this.
inline constexpr double kMaxLengthExcess = 1e-9;
/// At and below this squared sine CERENK takes the particle to be vertical.
inline constexpr double kVerticalSin2 = 1e-12;
/// A step with this many bunches or more, or whose number of them is NaN, is left to CORSIKA: its integers
/// may not hold the number.
inline constexpr double kMaxBunchesOfAStep = 2e9;
inline constexpr double kUnitRoundoff = 0x1p-53;  ///< of one operation, relative

/// The distance of a point along the shower's axis from the top of the atmosphere, cm. The point is in
/// CORSIKA's coordinates, z above sea level.
struct ShowerAxis {
  double along_x, along_y, along_z, start;

  [[nodiscard]] CHERENKOV_HOST_DEVICE double distance(double x, double y, double z) const {
    return x * along_x + y * along_y - z * along_z + start;
  }

  /// The same of a point before CERLDE of option CURVED turns it into the axis's frame, within 4e-3 cm. x and
  /// y are arcs on a sphere of this radius, cm. Not a number for points nearer to the detector than 200 m or
  /// farther than 1270 km: at angles a at the Earth's centre between 3e-5 and 0.2, cosine and sine come from
  /// Taylor's series; what they leave out moves a point by less than 1e-3 cm, and CERLDE's own sine, which it
  /// makes of a cosine near 1, is good to 7e-8 cm / a.
  [[nodiscard]] CHERENKOV_HOST_DEVICE double curved_distance(double x, double y, double z,
                                                             double radius) const {
    constexpr double kLeast2 = 1e-9, kMost2 = 0.04;
    const double per_radius = 1. / radius;
    const double a2 = (x * x + y * y) * (per_radius * per_radius);
    if (!(a2 > kLeast2 && a2 < kMost2)) return NAN;
    const double versine = a2 * (1. / 2. - a2 * (1. / 24. - a2 * (1. / 720. - a2 * (1. / 40320.))));
    const double sinc = 1. - a2 * (1. / 6. - a2 * (1. / 120. - a2 * (1. / 5040.)));
    const double above_centre = radius + z, scale = above_centre * per_radius * sinc;
    return distance(scale * x, scale * y, z - above_centre * versine);
  }
};

/// Settings that all steps share. cut_w: smallest w of a particle whose step emits; yield: photons per cm,
/// charge 1 and sin^2 = 1; bunch_size: most photons of a bunch.
struct PlanSettings {
  double cut_w, yield, bunch_size;
  Plane plane;
  ShowerAxis axis;
};

/// Lanes that work on one step together: all have the same step, and share loops. Here there is one.
struct OneLane {
  static constexpr int kCount = 1;
  static constexpr int index() { return 0; }
  static bool any(bool mine) { return mine; }
  static double largest(double mine) { return mine; }
  static double sum(double mine) { return mine; }
  static std::uint64_t united(std::uint64_t mine) { return mine; }
};

/// What the light of a step depends on but times. Lengths in cm, energies and mass in GeV, charge in
/// elementary charges; u, v, w: mean direction, w downwards; weight: of its photons (THIN); the refractive
/// index where the step begins, in its middle and where it ends.
template <class Real>
struct StepInput {
  Real length, u, v, w, begin_energy, end_energy, x_begin, y_begin, z_begin, x_end, y_end, z_end, mass,
      charge, weight, index_begin, index_middle, index_end;
};

/// Bounds of the directions of a step's light, without units. theta is the Cherenkov angle. Tangents are
/// exact where beta n is: tan^2(theta) = (beta n)^2 - 1.
template <class Real>
struct ConeOf {
  Real min_w;             ///< minimum cosine of the light's zenith angle, > 0
  Real min_tan, max_tan;  ///< minimum and maximum of tan(theta)
  Real max_secant;        ///< maximum of 1/cos(theta), that is of beta n
  Real short_of_unit;     ///< 1 - the squared length of the particle's direction
};
using ConeBounds = ConeOf<double>;

/// The cone of light of a step, from one point for all of it; in the telescopes' frame, cm. At a point that
/// is a along and b across the axis from the apex, light may be slack + slack_per_cm (|a| + b) from this
/// cone.
template <class Real>
struct RingOf {
  Real x, y, height;  ///< of the apex, height above the detection plane
  Real u, v, w;       ///< of its axis, a unit vector, w downwards
  Real tan_theta;     ///< of the cone's half opening angle theta: the middle of its bounds
  Real secant;        ///< maximum of 1/cos(theta)
  Real slack;         ///< cm
  Real slack_per_cm;  ///< without a unit
  Real tilt;          ///< how far the slope of light may be from that of a straight line of the cone
  Real radius_scale;  ///< of the radius of a sphere that light passes through: 1 + tilt/w
};
using Ring = RingOf<double>;

}  // namespace cherenkov
