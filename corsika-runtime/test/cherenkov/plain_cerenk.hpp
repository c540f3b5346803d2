// What CERENK makes of a step before its loop, written plainly from what it does; and random steps of
// electrons.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "corsika_runtime/cherenkov/charged_step.hpp"
#include "plain_step.hpp"

namespace cherenkov::test {

// LOOPFL of CERENK; -1 where it returns before its loop.
struct PlainCerenk {
  int loop = -1;
  Step step{};
  std::function<double(const Step::Point&)> beta_n{};  // of loops 2 and 3
};

inline PlainCerenk plain_cerenk(const corsika::ChargedStep& c, const corsika::Emission& e) {
  PlainCerenk out;
  if (c.w < e.cut_w || c.length <= 0.) return out;
  const auto index = [e](double z) {
    return e.tables ? e.index(&z) : 1. + e.index_per_density * e.density(&z);
  };
  const double r1 = c.mass / c.begin_energy, r2 = c.mass / c.end_energy;
  const double b1 = std::sqrt((1. - r1) * (1. + r1)), b2 = std::sqrt((1. - r2) * (1. + r2));
  const double n1 = index(c.z_begin), n2 = index(c.z_end);
  if (b1 * n1 < 1. && b2 * n2 < 1.) return out;
  const double half = c.mass * 2. / (c.begin_energy + c.end_energy);
  const double bm = std::sqrt(1. - half * half), nm = index(0.5 * (c.z_begin + c.z_end));
  const double largest = std::max(b2 * n2, b1 * n1);
  const double per_cm = e.yield * (c.charge * c.charge);
  const int n = static_cast<int>(per_cm * c.length * (1. - 1. / (largest * largest)) / e.bunch_size + 1.);
  if (n < 1) return out;
  const double i2 = (b1 * n1) * (b1 * n1), e2 = (b2 * n2) * (b2 * n2), m2 = (bm * nm) * (bm * nm);
  if (n == 1)
    out.loop = 0;
  else if (b2 * n2 > 1. && b1 * n1 > 1. && bm * nm > 1. &&
           std::abs((2. - 1. / i2 - 1. / e2) / (1. - 1. / m2) - 2.) < 2e-3 * c.w)
    out.loop = 1;
  else
    out.loop = c.z_begin * c.z_begin * std::abs((n1 - 1.) * (n2 - 1.) / ((nm - 1.) * (nm - 1.)) - 1.) <
                       (10. * std::abs(c.w)) * (10. * std::abs(c.w))
                   ? 2
                   : 3;
  if (out.loop >= 2) {
    const double log1 = std::log(n1 - 1.), per_cm_log = (std::log(n2 - 1.) - log1) / c.length;
    const double loss = (c.end_energy - c.begin_energy) / c.length;
    out.beta_n = [=, by_height = out.loop == 3](const Step::Point& at) {
      const double n_at = by_height ? index(at.z) : 1. + std::exp(log1 + per_cm_log * at.path);
      const double energy = c.begin_energy + loss * at.path;
      return std::sqrt((1. - c.mass / energy) * (1. + c.mass / energy)) * n_at;
    };
  }
  Step& s = out.step;
  s.bunches = n;
  s.beta_n = out.loop == 0 ? bm * nm : b1 * n1;
  s.beta_n_slope = out.loop == 0 ? 0. : (b2 * n2 - b1 * n1) / c.length;
  const double fraction = 1. / n;
  s.between = {c.length * fraction, (c.x_end - c.x_begin) * fraction, (c.y_end - c.y_begin) * fraction,
               (c.z_end - c.z_begin) * fraction, (c.end_time - c.begin_time) * fraction};
  s.before = {-0.5 * s.between.path, c.x_begin - 0.5 * s.between.x, c.y_begin - 0.5 * s.between.y,
              c.z_begin - 0.5 * s.between.z, c.begin_time - 0.5 * s.between.time};
  s.photons_per_sin2 = per_cm * s.between.path;
  const double sine = std::sqrt(std::max(1e-20, c.u * c.u + c.v * c.v));
  s.cu = c.v * (1. / sine), s.su = c.u * c.w * (1. / sine), s.u0 = c.u;
  s.cv = -c.u * (1. / sine), s.sv = c.v * c.w * (1. / sine), s.v0 = c.v;
  s.sw = -sine, s.w0 = c.w;
  if (sine * sine <= 1e-12) {
    s.cu = s.sv = s.w0 = 1.;
    s.su = s.u0 = s.cv = s.v0 = s.sw = 0.;
  }
  return out;
}

inline constexpr double kElectron = 0.51099892e-3;  // GeV

// A step of an electron, where random_particle() would have one. bunch_size is set so that it has about as
// many bunches.
inline corsika::ChargedStep random_charged_step(Random& random, const Shower& shower, const Package& package,
                                                double yield, double& bunch_size) {
  const Step step = random_particle(random, shower, package).step;
  const Step::Point& d = step.between;
  const double n = step.bunches;
  corsika::ChargedStep c{};
  c.length = n * d.path;
  c.u = step.u0, c.v = step.v0, c.w = step.w0;
  c.x_begin = step.before.x + 0.5 * d.x, c.y_begin = step.before.y + 0.5 * d.y,
  c.z_begin = step.before.z + 0.5 * d.z;
  c.x_end = c.x_begin + n * d.x, c.y_end = c.y_begin + n * d.y, c.z_end = c.z_begin + n * d.z;
  c.begin_time = step.before.time + 0.5 * d.time, c.end_time = c.begin_time + n * d.time;
  c.begin_energy = random.turn() < 0.2 ? random.logarithmic(0.01, 0.1) : random.logarithmic(0.05, 100.);
  c.end_energy = c.begin_energy * (1. - random.logarithmic(1e-6, 0.05));
  c.mass = kElectron;
  c.charge = random.sign();
  const double excess = 2. * Atmosphere::refractivity(c.z_end);
  bunch_size = std::max(1e-6, yield * c.length * excess / std::max(0.5, n - 0.5));
  return c;
}

inline double index_of(double* height) { return 1. + Atmosphere::refractivity(*height); }
// n - 1 of index_of(), for a table of it.
inline double excess_of(double* height) {
  if (*height >= 1.2e7) return 0.;
  return Atmosphere::refractivity(std::max(-1e4, *height));
}
inline double density_of(double* height) { return 1.2e-3 * std::exp(-*height / 8e5); }

}  // namespace cherenkov::test
