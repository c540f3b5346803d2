// CERENK's loop over the bunches of a step, written plainly from what it does.
#pragma once

#include "corsika_runtime/efficiency/photon_losses.hpp"
#include "package.hpp"

namespace cherenkov::test {

// When light that goes straight arrives, ns: by its delay in the air below `at`, whose depth is taken along
// the step where that has more than three bunches.
inline double plain_arrival(const corsika::UnrefractedTiming& air, int bunches, const Step::Point& at,
                            double w, double way) {
  const auto depth_of = [&](double height) { return air.depth_of(&height); };
  double depth = depth_of(at.z);
  if (bunches > 3) {
    const double first = std::max(1e-3, depth_of(air.begin));
    const double per_length = std::log(depth_of(air.end) / first) / air.length;
    depth = first * std::exp(per_length * at.path);
  }
  const double delay = air.index_per_density * (air.depth_at_plane - depth) / w;
  return (at.time + (delay + way) / air.light_speed) * 1e9;
}

// CERENK's numbers, drawn 100 at a time; those of bunches below threshold are taken off what is still to be
// drawn.
struct PlainNumbers {
  Package& package;
  int left, used = 0;
  double chunk[100] = {};

  PlainNumbers(Package& of, int count) : package(of), left(count) {
    package.draw(chunk, std::min(left, 100));
  }
  double next() {
    if (++used > 100) {  // the first draw is not taken off what is left
      const int count = std::min(left, 100);
      package.draw(chunk, count);
      left -= count;
      used = 1;
    }
    return chunk[used - 1];
  }
};

// The shortest and longest wavelength of CERWLEN, nm; that of the next bunch; its factor of n - 1.
struct PlainBand {
  double shortest, longest;

  double next(PlainNumbers& numbers) const {
    return 1. / (1. / longest + (1. / shortest - 1. / longest) * numbers.next());
  }
  static double factor(double wavelength) { return 0.967 + 0.033 * std::pow(400. / wavelength, 2.5); }
};

// A bunch's light, by the next azimuth. Nothing below threshold, where `each` numbers less are drawn, and
// beyond the zenith cut.
struct PlainBunch {
  Direction light;
  double sin2_theta;
};
inline std::optional<PlainBunch> plain_bunch(const Step& step, double beta_n, int each, PlainNumbers& numbers,
                                             const corsika::ObservationContext& context) {
  const double cos_theta = 1. / beta_n;
  const double sin2_theta = (1. - cos_theta) * (1. + cos_theta);
  if (cos_theta > 1. || sin2_theta <= 0.) {
    numbers.left -= each;
    return std::nullopt;
  }
  const double phi = numbers.next() * context.two_pi, sin_theta = std::sqrt(sin2_theta);
  const double a = sin_theta * std::cos(phi), b = sin_theta * std::sin(phi);
  Direction light{step.cu * a + step.su * b + step.u0 * cos_theta,
                  step.cv * a + step.sv * b + step.v0 * cos_theta, step.sw * b + step.w0 * cos_theta};
  if (light.w < context.cut_w) return std::nullopt;
  light.w = std::min(1., light.w);
  return PlainBunch{light, sin2_theta};
}

/// Detectors around seven random cores (written to `cores`), one row in y; a fifth of the grids count no
/// light.
using GridCores = std::array<double, 14>;
inline DetectorGrid random_grid(Random& random, GridCores& cores) {
  for (double& core : cores) core = random.uniform(-3e4, 3e4);
  const double distance = random.logarithmic(200., 3000.);
  return {{random.turn() < 0.2 ? 0. : random.logarithmic(2e4, 1e5), 9.7 * distance, 1. / distance, -0.5, 0.2,
           cores.data()},
          {random.logarithmic(2e4, 1e5), 1e4, 1e3, 0., 1e7, cores.data() + 7},
          7};
}
/// CORSIKA's, where light is for a grid.
inline corsika::Routines grid_routines(Package& package) {
  corsika::Routines routines = package.routines();
  routines.telescopes = nullptr;
  routines.collect = [](Hit& light) { return Package::played()->hits.push_back(light), 0; };
  return routines;
}

// CERENK without the IACT package: counts light that arrives within the grid. Whether it hits a detector.
inline bool plain_on_grid(const corsika::ObservationContext& context, Package& package, double x, double y,
                          double photons) {
  const DetectorGrid& grid = *context.grid;
  if (std::fabs(x) >= grid.x.counted || std::fabs(y) >= grid.y.counted) return false;
  (context.by_electron ? package.photons : package.bunches) += photons;
  const auto holds = [](const DetectorGrid::Axis& axis, double from) {
    const double places = from * axis.per_cm + axis.shift;
    return std::fabs(places - std::round(places)) <= axis.half && std::fabs(from) <= axis.reach;
  };
  for (int core = 0; core < grid.cores; ++core)
    if (holds(grid.x, x - grid.x.centre[core]) && holds(grid.y, y - grid.y.centre[core])) return true;
  return false;
}

// A bunch that goes (u, v, w) from `at`: into the distribution, and through the air to TELOUT. A stage is
// asked before RAYBND.
inline void plain_emit(const Step& step, const corsika::ObservationContext& context, Package& package,
                       const Step::Point& at, Direction light, double photons, double wavelength,
                       corsika::Emitter* asked = nullptr) {
  const Plane& plane = context.plane;
  const double way = (at.z - plane.height) / light.w;
  const double along_x = at.x + way * light.u - plane.x0, along_y = at.y + way * light.v - plane.y0;
  if (context.profile.kind == corsika::DepthProfile::Kind::kHeight && context.fill_profile)
    plain_add_by_height(context.profile, at, step.between, photons, context.profile.depth_of);
  else if (context.fill_profile)
    plain_add(context.profile, at, step.between, photons, [](double* d) { return Package::thickness(*d); });
  double x = along_x * plane.cos_turn + along_y * plane.sin_turn,
         y = along_y * plane.cos_turn - along_x * plane.sin_turn;
  double u = light.u * plane.cos_turn + light.v * plane.sin_turn,
         v = light.v * plane.cos_turn - light.u * plane.sin_turn, w = light.w;
  double time = at.time * 1e9;
  if (context.grid && !plain_on_grid(context, package, x, y, photons)) return;
  if (asked != nullptr && asked->event().can_skip({photons, x, y, u, v, w, at.z, time}, plane.height))
    return asked->skip(photons);
  const Package::Watch* watch = package.watch;
  if (watch != nullptr && watch->leaves) watch->leaves({photons, 1., x, y, u, v, time, at.z, w});
  if (context.straight)
    time = plain_arrival(*context.straight, step.bunches, at, w, way);
  else if (watch != nullptr && watch->refracts)
    watch->refracts(at.z, u, v, w, x, y, time);
  else
    package.refract(at.z, u, v, w, x, y, time);
  const Hit arrived{photons, 1., x, y, u, v, time, at.z, context.grid ? way : wavelength};
  if (context.grid) return package.hits.push_back(arrived);
  if (watch != nullptr && watch->arrives)
    watch->arrives(arrived);
  else
    package.collect(arrived);
}

// CORSIKA's loop over a step's bunches, one after the other; with an emitter that is asked for each.
// `beta_n_at`, where there is one, says beta n instead of the step.
inline void plain_step(const Step& step, const corsika::ObservationContext& context, Package& package,
                       corsika::Emitter* asked = nullptr,
                       const std::function<double(const Step::Point&)>& beta_n_at = {}) {
  PlainNumbers numbers(package, step.bunches);
  Step::Point at = step.before;
  for (int i = 0; i < step.bunches; ++i) {
    at = next_point(at, step.between);
    double beta_n = step.beta_n_slope != 0. ? step.beta_n + step.beta_n_slope * at.path : step.beta_n;
    if (beta_n_at) beta_n = beta_n_at(at);
    if (const auto bunch = plain_bunch(step, beta_n, 1, numbers, context))
      plain_emit(step, context, package, at, bunch->light,
                 step.photons_per_sin2 * bunch->sin2_theta * step.weight, 0., asked);
  }
}

// CERENK's loop over the bunches of a step with option CURVED, written plainly from what it does.

// CERLDE of option CURVED, for light from half a spacing before a bunch to half a spacing behind.
// earth_radius: C(1), cm.
inline void plain_curved_add(const corsika::DepthProfile& profile, const Step::Point& at,
                             const Step::Point& half, double light, double earth_radius) {
  const auto along = [&](double x, double y, double z) {
    const double cosine = std::cos(std::sqrt(x * x + y * y) / earth_radius);
    const double apparent = (earth_radius + z) * cosine - earth_radius;
    if (cosine != 1.) {
      const double azimuth = x != 0. || y != 0. ? std::atan2(y, x) : 0.;
      const double away = std::sqrt((1. - cosine) * (1. + cosine)) * (earth_radius + apparent) / cosine;
      x = away * std::cos(azimuth);
      y = away * std::sin(azimuth);
    }
    return x * profile.axis.along_x + y * profile.axis.along_y - apparent * profile.axis.along_z +
           profile.axis.start;
  };
  const double begin = along(at.x - half.x, at.y - half.y, at.z - half.z);
  if (!(profile.edge[profile.bins] > begin)) return;
  const double end = along(at.x + half.x, at.y + half.y, at.z + half.z);
  const double from = Package::thickness(begin), to = Package::thickness(end);
  const int first = std::min(static_cast<int>(from * profile.bins_per_depth + 1.), profile.bins + 1);
  const int last = std::min(static_cast<int>(to * profile.bins_per_depth), profile.bins);
  plain_spread(profile, light, from, first, to, last);
}

// CERENK's loop over the bunches of a step. light, emission: what it takes distances, times and refractive
// indices from. band: with CERWLEN, too.
inline void plain_curved_step(const CurvedLoop& loop, const corsika::CurvedLight& light,
                              const corsika::Emission& emission, const corsika::ObservationContext& context,
                              Package& package, const PlainBand* band = nullptr) {
  const Step& step = loop.step;
  const Plane& plane = context.plane;
  const int each = band == nullptr ? 1 : 2;
  PlainNumbers numbers(package, each * step.bunches);
  Step::Point at = step.before;
  double apparent = loop.apparent_before;
  for (int i = 0; i < step.bunches; ++i) {
    at = next_point(at, step.between);
    apparent += loop.apparent_between;
    if (loop.stops_at_plane && apparent <= plane.height) return;
    const double ratio = loop.mass / (loop.energy + loop.energy_slope * at.path);
    double index = refractive_index(emission, at.z), wavelength = 0.;
    if (band != nullptr) {
      wavelength = band->next(numbers);
      index = 1. + (index - 1.) * PlainBand::factor(wavelength);
    }
    const double beta_n = std::sqrt((1. - ratio) * (1. + ratio)) * index;
    const auto bunch = plain_bunch(step, beta_n, each, numbers, context);
    if (!bunch) continue;
    auto [u, v, w] = bunch->light;
    double height = loop.stops_at_plane ? apparent : at.z;
    const double across = std::sqrt(u * u + v * v), away = light.distance(&w, &height);
    const double x = across > 0. ? at.x + away / across * u : at.x;
    const double y = across > 0. ? at.y + away / across * v : at.y;
    const double photons = step.photons_per_sin2 * bunch->sin2_theta * step.weight;
    if (context.fill_profile)
      plain_curved_add(context.profile, {0., at.x, at.y, height, 0.},
                       {0., 0.5 * step.between.x, 0.5 * step.between.y, loop.half_z, 0.}, photons,
                       light.earth_radius);
    package.collect({photons, 1., x * plane.cos_turn + y * plane.sin_turn,
                     y * plane.cos_turn - x * plane.sin_turn, u * plane.cos_turn + v * plane.sin_turn,
                     v * plane.cos_turn - u * plane.sin_turn, at.time * 1e9 + light.time(&w, &height), height,
                     wavelength});
  }
}

// Tables of mirror and photocathode of CEFFIC, and its wavelengths, with the order of CORSIKA's operations.

struct PlainEfficiency {
  std::array<double, corsika::kEfficiencyPoints> mirror{}, quantum{};
  double first = 180.;  // wavelength
  bool with_mirror = true, with_quantum = true;

  [[nodiscard]] corsika::EfficiencyTables tables() const {
    return {mirror.data(), quantum.data(), first, with_mirror, with_quantum};
  }
  static double linear(double x, int x0, int x1, double f0, double f1) {
    return f0 + (f1 - f0) * (x - x0) / (x1 - x0);
  }
  // That a photon is detected.
  [[nodiscard]] double probability(double wavelength) const {
    const int i = 1 + static_cast<int>((wavelength - first) / 5.), at = i * 5 + static_cast<int>(first) - 5;
    const auto k = static_cast<std::size_t>(i);
    return (with_mirror ? linear(wavelength, at, at + 5, mirror[k - 1], mirror[k]) : 1.) *
           (with_quantum ? linear(wavelength, at, at + 5, quantum[k - 1], quantum[k]) : 1.);
  }
};

// 1/w^2 between two wavelengths.
struct PlainSpectrum {
  double shortest = 250., longest = 700.;

  [[nodiscard]] double norm() const { return shortest * longest / (longest - shortest); }
  [[nodiscard]] double wavelength(double u) const { return norm() * shortest / (norm() - u * shortest); }
  [[nodiscard]] corsika::Spectrum view() const { return {shortest, norm()}; }
};

// What CERENK makes of a step before its loop, written plainly from what it does; and random steps of
// electrons.

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
  s.weight = c.weight;
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
  const Step step = random_particle(random, shower, package);
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
  c.weight = some_weight(c.length);
  const double excess = 2. * Atmosphere::refractivity(c.z_end);
  bunch_size = std::max(1e-6, yield * c.length * excess / std::max(0.5, n - 0.5));
  return c;
}

// Of an electron at 10 km, down at 0.2 rad.
inline corsika::ChargedStep electron_step(double length, double begin_energy, double end_energy) {
  corsika::ChargedStep c{};
  c.length = length;
  c.u = std::sin(0.2), c.w = std::cos(0.2);
  c.z_begin = 1e6;
  c.x_end = length * c.u, c.z_end = c.z_begin - length * c.w;
  c.end_time = length / 29979245800.;
  c.begin_energy = begin_energy, c.end_energy = end_energy;
  c.mass = kElectron, c.charge = 1.;
  return c;
}

// Of an electron, aside, down from 12 km.
inline const corsika::ChargedStep kSlantedStep{
    3e4,   0.3,   0.2,   std::sqrt(1. - 0.13), 1.,   0.9,  1e4,     2e4,
    1.2e6, 1.9e4, 2.6e4, 1.2e6 - 2.8e4,        1e-6, 2e-6, 5.11e-4, -1.};

// Leaves the first part of it.
inline void shorten(corsika::ChargedStep& c, double part) {
  c.length *= part;
  c.x_end = c.x_begin + part * (c.x_end - c.x_begin);
  c.y_end = c.y_begin + part * (c.y_end - c.y_begin);
  c.z_end = c.z_begin + part * (c.z_end - c.z_begin);
  c.end_time = c.begin_time + part * (c.end_time - c.begin_time);
  c.end_energy = c.begin_energy + part * (c.end_energy - c.begin_energy);
}

inline double index_of(double* height) { return 1. + Atmosphere::refractivity(*height); }
// n - 1 of index_of(), for a table of it.
inline double excess_of(double* height) {
  if (*height >= 1.2e7) return 0.;
  return Atmosphere::refractivity(std::max(-1e4, *height));
}
inline double density_of(double* height) { return 1.2e-3 * std::exp(-*height / 8e5); }

}  // namespace cherenkov::test
