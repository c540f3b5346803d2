// Steps such as showers have, and where their light arrives, in long double.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "cherenkov/bunches.hpp"
#include "cherenkov/flat_step.hpp"
#include "cherenkov/refraction_model.hpp"
#include "cherenkov/step.hpp"

namespace cherenkov::test {

// An atmosphere of the tests' own: refractivity falls off exponentially.

class Atmosphere {
 public:
  static constexpr double kSeaLevel = 2.8e-4;
  static constexpr double kScale = 8e5;  // cm

  // observed: height of the detection plane, cm.
  explicit Atmosphere(double observed) : observed_(observed), at_plane_(refractivity(observed)) {}

  [[nodiscard]] double observed() const { return observed_; }
  [[nodiscard]] static double refractivity(double height) { return kSeaLevel * std::exp(-height / kScale); }

  // The integral of n(z) - n(height) over z from the plane to `height`, cm. To first order, light at zenith
  // angle theta arrives shifted by -k tan(theta)/cos^2(theta) against a straight line.
  [[nodiscard]] double k(double height) const { return k(height, refractivity(height)); }

  // As a table of k is used by the IACT package: the angle is taken 0.28 of the way from emission to arrival.
  // u: sine of the zenith angle at emission.
  [[nodiscard]] double shift(double height, double u) const { return arrival(height, u).shift; }
  // Sine of the zenith angle at arrival.
  [[nodiscard]] double arriving(double height, double u) const {
    return u * (1. + refractivity(height)) / (1. + at_plane_);
  }
  // No shift of light that does not arrive. An exponential takes most of a test's time, so that there is one.
  [[nodiscard]] RefractionModel::Arrival arrival(double height, double u) const {
    const double here = refractivity(height), arriving = u * (1. + here) / (1. + at_plane_);
    if (arriving > 1.) return {0., arriving};
    const double emitted = std::asin(u), arrived = std::asin(arriving);
    const double angle = emitted + 0.28 * (arrived - emitted);
    const double cosine = std::cos(angle);
    return {-k(height, here) * std::sin(angle) / (cosine * cosine * cosine), arriving};
  }
  [[nodiscard]] RefractionModel measured() const {
    return RefractionModel::measured(observed_, kTopOfAtmosphere_cm,
                                     [this](double height, double u, double) { return arrival(height, u); });
  }

 private:
  [[nodiscard]] double k(double height, double here) const {
    return kScale * (at_plane_ - here) - (height - observed_) * here;
  }

  double observed_, at_plane_;  // refractivity at the plane
};

// Tests make 1/kShare of their random events; under sanitizers, where they take ten times as long, fewer.
#ifdef __SANITIZE_ADDRESS__
inline constexpr int kShare = 10;
#else
inline constexpr int kShare = 2;
#endif

inline std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

// Of option THIN, for a third of the steps; else 1. of: any number that differs from step to step.
inline double some_weight(double of) { return bits(of) % 3 == 0 ? 1.3 + std::fmod(of, 10.) : 1.; }

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  // Uniform in [0, 1), of 53 bits: the same numbers everywhere. As an azimuth, azimuth/(2 pi).
  double turn() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * turn(); }
  double radians() { return uniform(0., 2. * std::numbers::pi); }
  double sign() { return turn() < 0.5 ? -1. : 1.; }
  double logarithmic(double low, double high) { return low * std::pow(high / low, turn()); }

 private:
  std::mt19937_64 engine_;
};

struct Direction {
  double u, v, w;  // w downwards
};

inline Direction direction(double zenith, double azimuth) {
  return {std::sin(zenith) * std::cos(azimuth), std::sin(zenith) * std::sin(azimuth), std::cos(zenith)};
}

// Half of the sum of two unit vectors, as CORSIKA's steps have it: shorter than 1.
inline Direction mean(const Direction& a, const Direction& b) {
  return {0.5 * (a.u + b.u), 0.5 * (a.v + b.v), 0.5 * (a.w + b.w)};
}

// A straight step of n bunches that begins `height` above sea level, aimed at (x, y) in CORSIKA's frame. Air
// is dense enough for light: beta*n is `excess` (0 to 1) of the way from threshold to that of the speed of
// light. photons: per cm of path and unit of sin^2 of the Cherenkov angle.
inline Step aimed_step(const Atmosphere& air, const Direction& to, double height, double x, double y,
                       double length, int n, double excess, double photons) {
  Step step{};
  const double way = (height - air.observed()) / to.w;
  const double spacing = length / n;
  step.bunches = n;
  step.between = {spacing, spacing * to.u, spacing * to.v, -spacing * to.w, spacing / 29979245800.};
  step.before = {-0.5 * spacing, x - way * to.u - 0.5 * step.between.x, y - way * to.v - 0.5 * step.between.y,
                 height - 0.5 * step.between.z, 1e-5 - 0.5 * step.between.time};
  const double begin = Atmosphere::refractivity(height),
               end = Atmosphere::refractivity(height - length * to.w);
  step.beta_n = 1. + excess * begin;
  step.beta_n_slope = n > 1 ? excess * (end - begin) / length : 0.;
  step.photons_per_sin2 = photons * spacing;
  step.weight = some_weight(spacing);
  const double s = std::max(1e-10, std::hypot(to.u, to.v));
  step.cu = to.v / s, step.su = to.u * to.w / s, step.u0 = to.u;
  step.cv = -to.u / s, step.sv = to.v * to.w / s, step.v0 = to.v;
  step.sw = -s, step.w0 = to.w;
  return step;
}

// The light of a bunch, by the formulas that lanes are held against.
struct PlainLight {
  double cosine, sine2, photons;
};
inline PlainLight plain_light(const Step& step, double path) {
  const double cosine = 1. / (step.beta_n + step.beta_n_slope * path);
  const double sine2 = (1. - cosine) * (1. + cosine);
  return {cosine, sine2, step.photons_per_sin2 * sine2 * step.weight};
}

// How its light may fly.
inline ConeBounds cone_of(const Step& step, double min_w) {
  const double one = step.beta_n + step.beta_n_slope * (step.before.path + step.between.path);
  const double other =
      step.beta_n + step.beta_n_slope * (step.before.path + step.bunches * step.between.path);
  const auto tangent = [](double beta_n) { return std::sqrt((beta_n - 1.) * (beta_n + 1.)); };
  const auto [least, most] = std::minmax(one, other);
  return {min_w, tangent(least), tangent(most), most,
          1. - (step.u0 * step.u0 + step.v0 * step.v0 + step.w0 * step.w0)};
}

struct Landing {
  long double x, y;  // in the telescopes' frame
  long double way;   // to the plane, cm
  long double slope_x, slope_y;
};

// By straight line and RefractionModel's formula, for a bunch emitted at `at`.
inline Landing landing(const Step& step, const Step::Point& at, double cos_theta, double sin2_theta,
                       double azimuth, const Plane& plane, double k) {
  const long double phi = 2.L * std::numbers::pi_v<long double> * azimuth;
  const long double cosine = std::cos(phi) * std::sqrt(static_cast<long double>(sin2_theta));
  const long double sine = std::sin(phi) * std::sqrt(static_cast<long double>(sin2_theta));
  const long double u = step.cu * cosine + step.su * sine + static_cast<long double>(step.u0) * cos_theta;
  const long double v = step.cv * cosine + step.sv * sine + static_cast<long double>(step.v0) * cos_theta;
  const long double w = step.sw * sine + static_cast<long double>(step.w0) * cos_theta;
  const long double away = (static_cast<long double>(at.z) - plane.height) / w - k / (w * w * w);
  const long double x = at.x + u * away - plane.x0;
  const long double y = at.y + v * away - plane.y0;
  return {x * plane.cos_turn + y * plane.sin_turn - plane.x_impact,
          y * plane.cos_turn - x * plane.sin_turn - plane.y_impact,
          (static_cast<long double>(at.z) - plane.height) / w, (u * plane.cos_turn + v * plane.sin_turn) / w,
          (v * plane.cos_turn - u * plane.sin_turn) / w};
}

}  // namespace cherenkov::test
