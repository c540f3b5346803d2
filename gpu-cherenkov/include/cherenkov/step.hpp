/// One straight step of a charged particle, and where its Cherenkov light leaves it.
#pragma once

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
  /// Photons of a bunch over the squared sine of its Cherenkov angle.
  double photons_per_sin2;

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

/// Half of the way from one bunch to the next.
inline Step::Point half_of(const Step::Point& between) {
  return {0.5 * between.path, 0.5 * between.x, 0.5 * between.y, 0.5 * between.z, 0.};
}

}  // namespace cherenkov
