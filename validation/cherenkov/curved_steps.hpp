// Random showers and steps of the curved geometry, as CORSIKA hands them to CERENK.
#pragma once

#include <tuple>

#include "corsika_runtime/cherenkov/index_table.hpp"
#include "plain_step.hpp"
#include "played_curved.hpp"

namespace cherenkov::test {

/// A step that emits light, brought before CERENK's loop by curved_loop_of().
struct CurvedStep {
  CurvedLoop loop{};
  corsika::Emission emission{};
  /// Whether light of one bunch was aimed at the rim of a telescope's sphere (or footprint, where the package
  /// counts by these), and how far outside of the rim it then passes, cm; below 0: inside.
  bool aimed = false;
  double outside = 0.;
  /// Whether the particle's direction has length 1 (a mean of two directions is shorter). brute_force uses
  /// `outside` only then.
  bool unit = false;
};

struct Vector {
  double x, y, z;  ///< z downwards where it is a direction
};
inline Vector operator*(double a, const Vector& v) { return {a * v.x, a * v.y, a * v.z}; }
inline Vector operator+(const Vector& a, const Vector& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline double dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double length(const Vector& v) { return std::sqrt(dot(v, v)); }
inline Vector cross(const Vector& a, const Vector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// A shower whose zenith angle is up to max_zenith (radians); more often than not it is above 60 degrees.
/// observed: height of the detection plane, cm above sea level.
inline Shower random_curved_shower(Random& random, double observed, double max_zenith) {
  constexpr double kDegree = std::numbers::pi / 180.;
  Shower shower = random_shower(random, observed, max_zenith);
  while (max_zenith > 60. * kDegree && shower.zenith < 60. * kDegree && random.turn() < 0.7)
    shower = random_shower(random, observed, max_zenith);
  corsika::ObservationContext& context = shower.context;
  context.plane.x0 = context.plane.y0 = 0.;  // CERENK has none with CURVED
  constexpr double kCuts[] = {0., 85., 88., 89.5};
  const double cut = kCuts[static_cast<std::size_t>(4. * random.turn())];
  context.cut_w = cut == 0. ? 0. : std::cos(cut * kDegree);
  context.fill_profile = random.turn() < 0.2;
  return shower;
}

/// Makes steps of one shower. Half of them are aimed: of the cone of light of one bunch, that part grazes the
/// rim of a telescope which is closest to it.
class CurvedSteps {
 public:
  /// shower and package (with the shower's telescopes) live as long as this does. Distances are those of
  /// RayTable::played().
  CurvedSteps(Random& random, const Shower& shower, const Package& package)
      : random_(random), shower_(shower), package_(package), tables_(random.turn() < 0.5) {}

  /// Empty where CERENK returns before its loop.
  std::optional<CurvedStep> next();

 private:
  // A step in the telescopes' frame and in apparent heights: x, y there; z above the detection plane. Bunch
  // number `bunch` (from 0) leaves at `at`.
  struct Wanted {
    Vector at, direction;  // direction: d of the particle
    Vector way;            // from the step's beginning to its end
    double excess;         // of beta n - 1, at `at`: over n - 1
    double reach;          // of the step, cm
    int bunches, bunch;
    double outside;
    bool aimed, detector_frame;

    [[nodiscard]] double part() const { return (bunch + 0.5) / bunches; }
  };
  Wanted wanted();
  void aim_at_rim(Wanted& wanted);
  void aim_around(Wanted& wanted);
  corsika::ChargedStep charged_step(const Wanted& wanted, corsika::CurvedFrame& frame);
  void into_corsikas_frame(corsika::ChargedStep& step, corsika::CurvedFrame& frame);

  std::size_t any_telescope() {
    return static_cast<std::size_t>(random_.turn() * static_cast<double>(shower_.telescopes.size()));
  }

  // The horizontal distance to where light arrives over the sine of its zenith angle, cm. above: the height
  // of its emission above the detection plane. 0 for light that flies upwards, of which CORSIKA makes none.
  [[nodiscard]] double away_per_sine(const Vector& light, double above) const {
    const double across = std::hypot(light.x, light.y);
    double w = light.z, height = above + package_.air.observed();
    return across > 0. && w > 0. ? RayTable::distance(&w, &height) / across : 0.;
  }

  [[nodiscard]] double height_above_sea(const Wanted& wanted) const {
    const double radius = RayTable::kEarth_cm;
    return length({wanted.at.x + package_.impact[0], wanted.at.y + package_.impact[1],
                   radius + package_.air.observed() + wanted.at.z}) -
           radius;
  }

  Random& random_;
  const Shower& shower_;
  const Package& package_;
  bool tables_;  // refractive indices are from tables, not from densities
  corsika::LastIndex last_index_;
};

// Light of direction l (times the length of d) that passes, as the package has it, in a straight line to
// either side, `outside` cm outside of a sphere: through a point at that distance from the centre, along e.
// The particle flies in the plane of l and e, so all other light of its cone passes farther out (cone beside
// the sphere) or, on a cone around the sphere, farther out or less far in.
inline void CurvedSteps::aim_at_rim(Wanted& wanted) {
  const std::size_t which = any_telescope();
  const Telescope& telescope = shower_.telescopes[which];
  const double size = length(wanted.direction);
  const Vector light = wanted.direction;
  const Vector line{light.x, light.y, std::sqrt(1. - light.x * light.x - light.y * light.y)};
  Vector e = cross(line, {random_.uniform(-1., 1.), random_.uniform(-1., 1.), random_.uniform(-1., 1.)});
  e = (1. / length(e)) * e;
  wanted.outside = random_.sign() * random_.logarithmic(0.1, 1000.);
  Vector arrival{};
  if (package_.footprints_only) {  // at the rim of its square, e pointing outwards
    const Footprint& f = package_.footprints()[which];
    const double sign = random_.sign(), along = random_.uniform(-1., 1.) * f.half_width;
    const double across = sign * (f.half_width + wanted.outside);
    const bool x_side = random_.turn() < 0.5;
    arrival = {f.x + (x_side ? across : along), f.y + (x_side ? along : across), 0.};
    const Vector out = x_side ? Vector{sign, 0., 0.} : Vector{0., sign, 0.};
    e = out + (-dot(out, line)) * line;
    e = (1. / length(e)) * e;
  } else {
    wanted.outside = std::max(wanted.outside, -telescope.radius);
    const double off = telescope.radius + wanted.outside;
    const double height = telescope.z - off * e.z;
    arrival = {telescope.x + off * e.x + height * line.x / line.z,
               telescope.y + off * e.y + height * line.y / line.z, 0.};
  }
  const double away = away_per_sine(light, wanted.at.z);
  wanted.at.x = arrival.x - away * light.x;
  wanted.at.y = arrival.y - away * light.y;
  const double cosine = 1. / (1. + wanted.excess * Atmosphere::refractivity(height_above_sea(wanted)));
  const double sine = std::sqrt((1. - cosine) * (1. + cosine));
  // Perpendicular to the light and in the plane of light and e.
  const Vector unit = (1. / size) * light;
  Vector aside = e + (-dot(e, unit)) * unit;
  aside = (1. / length(aside)) * aside;
  wanted.direction = (size * cosine) * unit + (size * random_.sign() * sine) * aside;
  wanted.aimed = true;
}

// The particle's line, refracted as light is, arrives within a ring's reach of a telescope.
inline void CurvedSteps::aim_around(Wanted& wanted) {
  const Footprint& f = package_.footprints()[any_telescope()];
  const Vector& d = wanted.direction;
  const double ring = 0.03 * wanted.at.z / (d.z * d.z);
  const double away = away_per_sine(d, wanted.at.z);
  wanted.at.x = f.x + random_.uniform(-1., 1.) * (f.half_width + ring) - away * d.x;
  wanted.at.y = f.y + random_.uniform(-1., 1.) * (f.half_width + ring) - away * d.y;
}

inline CurvedSteps::Wanted CurvedSteps::wanted() {
  Wanted wanted{};
  constexpr double kSpread = 0.3;  // around the shower's axis, radians
  const double zenith = shower_.zenith + random_.sign() * random_.logarithmic(1e-5, kSpread);
  const double azimuth =
      shower_.azimuth +
      random_.uniform(-1., 1.) * std::min(3., kSpread / std::max(0.05, std::sin(shower_.zenith)));
  Direction d = direction(zenith, azimuth);
  // Turned by the magnetic field: the mean of two directions, shorter than 1.
  if (random_.turn() < 0.4)
    d = mean(d, direction(zenith + random_.sign() * random_.logarithmic(1e-6, kSpread), azimuth));
  // CORSIKA's azimuths to those of the telescopes' frame.
  const Plane& plane = shower_.context.plane;
  wanted.direction = {d.u * plane.cos_turn + d.v * plane.sin_turn,
                      d.v * plane.cos_turn - d.u * plane.sin_turn, d.w};
  wanted.at.z = random_.turn() < 0.05 ? random_.uniform(1e3, 1.07e7) : random_.logarithmic(3e3, 8e6);
  wanted.excess = random_.turn() < 0.5 ? random_.logarithmic(1e-4, 0.9999) : random_.uniform(0.001, 0.9999);
  if (random_.turn() < 0.05) wanted.excess = random_.uniform(-0.02, 0.02);  // dark in part

  constexpr int kEdges[] = {1, 2, 7, 8, 9, 99, 100, 101, 102, 199, 200, 201, 300, 301};
  wanted.bunches = random_.turn() < 0.3
                       ? kEdges[static_cast<std::size_t>(random_.turn() * 14.)]
                       : static_cast<int>(random_.logarithmic(1., random_.turn() < 0.05 ? 3000. : 100.));
  const double where = random_.turn();
  wanted.bunch = where < 0.2   ? 0
                 : where < 0.4 ? wanted.bunches - 1
                               : static_cast<int>(random_.turn() * wanted.bunches);
  if (random_.turn() < 0.5 && d.w > 0. && wanted.excess > 0.)
    aim_at_rim(wanted);
  else
    aim_around(wanted);
  wanted.detector_frame = random_.turn() < 0.4;
  // From there to the detection plane, and to the top of the air. Some outside of the detector's frame end
  // below the plane: CERENK's loop stops there.
  const double w = std::max(0.01, std::fabs(wanted.direction.z));
  const double to_plane = (!wanted.detector_frame && random_.turn() < 0.02 ? 2.5 : 0.9) * wanted.at.z / w;
  constexpr double kTop_cm = 1.12e7;  // steps begin below, in apparent height
  const double to_top = (kTop_cm - package_.air.observed() - wanted.at.z) / w;
  const double longest = wanted.bunches > 50 ? 1e6 : 3e4;
  wanted.reach = std::min({random_.logarithmic(1., random_.turn() < 0.5 ? 300. : longest), to_plane, to_top});
  wanted.way = wanted.reach * Vector{wanted.direction.x, wanted.direction.y, -wanted.direction.z};
  if (random_.turn() < 0.2) {  // where it ends is not where its mean direction points
    const double off = wanted.reach * random_.logarithmic(1e-6, 1e-2);
    wanted.way = wanted.way +
                 off * Vector{random_.uniform(-1., 1.), random_.uniform(-1., 1.), random_.uniform(-1., 1.)};
  }
  return wanted;
}

// In the detector's frame.
inline corsika::ChargedStep CurvedSteps::charged_step(const Wanted& wanted, corsika::CurvedFrame& frame) {
  const Plane& plane = shower_.context.plane;
  const auto turned = [&](double x, double y) {
    return std::pair(x * plane.cos_turn - y * plane.sin_turn, y * plane.cos_turn + x * plane.sin_turn);
  };
  const Vector begin = wanted.at + (-wanted.part()) * wanted.way, end = begin + wanted.way;
  corsika::ChargedStep c{};
  c.length = wanted.reach;
  std::tie(c.u, c.v) = turned(wanted.direction.x, wanted.direction.y);
  c.w = wanted.direction.z;
  std::tie(c.x_begin, c.y_begin) = turned(begin.x + package_.impact[0], begin.y + package_.impact[1]);
  std::tie(c.x_end, c.y_end) = turned(end.x + package_.impact[0], end.y + package_.impact[1]);
  c.z_begin = begin.z + plane.height;
  c.z_end = end.z + plane.height;
  c.begin_time = random_.uniform(0., 1e-4);
  c.end_time = c.begin_time + c.length / 29979245800.;
  c.mass = random_.turn() < 0.8 ? kElectron : 0.105658;
  c.charge = random_.sign();
  frame = {RayTable::kEarth_cm, plane.height, 1., true};
  return c;
}

// From the detector's frame to CORSIKA's: arcs on the Earth's sphere, heights above it, and a direction that
// is not yet turned by the angle at the Earth's centre. The other way round is in curved_loop_of().
inline void CurvedSteps::into_corsikas_frame(corsika::ChargedStep& c, corsika::CurvedFrame& frame) {
  const double radius = RayTable::kEarth_cm;
  const auto arcs = [&](double& x, double& y, double z) {
    x = radius * std::atan(x / (z + radius));
    y = radius * std::atan(y / (z + radius));
    return std::sqrt(x * x + y * y) / radius;
  };
  const double here = arcs(c.x_begin, c.y_begin, c.z_begin), there = arcs(c.x_end, c.y_end, c.z_end);
  const double earth =
      random_.turn() < 0.3 ? here : std::fabs(here + random_.sign() * random_.logarithmic(1e-10, 1e-5));
  const double lift = earth > here ? std::cos(earth - here) : 1.;
  const double across = std::hypot(c.u, c.v);
  const double along = across * std::cos(earth) - c.w * std::sin(earth);
  frame.cos_earth = std::cos(earth);
  frame.in_detector_frame = false;
  c.w = c.w * std::cos(earth) + across * std::sin(earth);
  c.u *= along / across;
  c.v *= along / across;
  c.z_begin = (c.z_begin + radius) / std::cos(here) * lift - radius;
  c.z_end = (c.z_end + radius) / std::cos(there) * lift - radius;
}

// The density of CORSIKA's own atmospheres, of which the stage knows the layers.
inline const corsika::ExponentialAir* layered_air() {
  static const std::array<double, 5> boundary{0., 4e5, 1e6, 4e6, 1.128e7};
  static const std::array<double, 5> per_cm{1. / 8e5, 1. / 8e5, 1. / 8e5, 1. / 8e5, 1e-9};
  static const auto air = corsika::ExponentialAir::measured(boundary.data(), per_cm.data(), density_of);
  return air ? &*air : nullptr;
}

inline std::optional<CurvedStep> CurvedSteps::next() {
  const Wanted wanted = this->wanted();
  corsika::CurvedFrame frame{};
  corsika::ChargedStep c = charged_step(wanted, frame);
  const double angle = std::hypot(c.x_begin, c.y_begin) / RayTable::kEarth_cm;
  const double across = std::hypot(c.u, c.v);
  // Steps that fly away from the detector's axis stay in its frame.
  const bool outside_frame = !wanted.detector_frame && across > 2. * angle + 1e-4 && angle < 0.5;
  // beta n at the bunch that was aimed, with the index that CERENK takes there: in the detector's frame
  // heights above sea level are the apparent ones.
  const double index = Atmosphere::refractivity(outside_frame ? height_above_sea(wanted)
                                                              : wanted.at.z + package_.air.observed());
  const double true_excess = wanted.aimed ? wanted.excess * Atmosphere::refractivity(height_above_sea(wanted))
                                          : wanted.excess * index;
  if (true_excess >= 0.99999 * index) return std::nullopt;
  const double less = (index - true_excess) / (1. + index);  // 1 - beta
  const double energy = c.mass / std::sqrt(less * (2. - less));
  const double loss = energy * random_.logarithmic(1e-9, random_.turn() < 0.8 ? 1e-4 : 0.05);
  c.begin_energy = energy + wanted.part() * loss;
  c.end_energy = c.begin_energy - loss;
  if (outside_frame) into_corsikas_frame(c, frame);

  CurvedStep step;
  step.aimed = wanted.aimed;
  step.outside = wanted.outside;
  step.unit = std::fabs(1. - length(wanted.direction)) < 1e-12;
  constexpr double kYield = 400.;  // photons per cm where sin^2 is 1
  constexpr double kRefractivityPerDensity = 2.8e-4 / 1.2e-3;
  step.emission = {shower_.context.cut_w,
                   kYield,
                   1.,
                   kRefractivityPerDensity,
                   tables_,
                   index_of,
                   density_of,
                   tables_ ? nullptr : layered_air()};
  const auto beta_n = [&](double of_energy, double z) {
    const double ratio = c.mass / of_energy;
    return std::sqrt((1. - ratio) * (1. + ratio)) * refractive_index(step.emission, z);
  };
  const double most = std::max(beta_n(c.begin_energy, c.z_begin), beta_n(c.end_energy, c.z_end));
  if (!(most > 1.)) return std::nullopt;
  step.emission.bunch_size = kYield * c.length * (1. - 1. / (most * most)) / (wanted.bunches - 0.5);
  if (curved_loop_of(c, frame, step.emission, last_index_, step.loop) != LightKind::kWhole)
    return std::nullopt;
  return step;
}

}  // namespace cherenkov::test
