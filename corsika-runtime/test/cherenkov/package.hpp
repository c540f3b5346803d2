// A fake of what the stage calls: random numbers, refraction, telescopes; and random showers and steps.
#pragma once

#include <cstring>
#include <numbers>

#include "corsika_runtime/cherenkov/emitter.hpp"
#include "random_step.hpp"

namespace cherenkov::test {

// The longitudinal distribution of light as it is meant, bin by bin, without the stage's short cuts.

// Bin that holds a point: from its lower edge on, up to below its upper one. 0 before the first, and the last
// one that is looked at (one after those that are kept) for all beyond.
inline int plain_bin(const corsika::DepthProfile& profile, double distance) {
  const int last = std::min(profile.bins + 1, profile.max_bins - 2);
  return static_cast<int>(std::upper_bound(profile.edge, profile.edge + last, distance) - profile.edge);
}

// Light between two depths, flat in depth: from bin `first` to the bin behind `last`; with the short cut all
// of it to one bin.
inline void plain_spread(const corsika::DepthProfile& profile, double light, double begin, int first,
                         double end, int last, bool short_cut = true) {
  if (short_cut && first == last + 1 && first <= profile.bins) {
    profile.photons[first] += light;
    return;
  }
  const double bins = (end - begin) * profile.bins_per_depth;
  const double from = begin * profile.bins_per_depth, to = end * profile.bins_per_depth;
  const double a_bin = bins > 0. ? light / bins : 0.;
  const double part_of_first = a_bin * (static_cast<double>(first) - from);
  const double part_of_last = a_bin * (to - static_cast<double>(std::max(first, last)));
  profile.photons[first] += part_of_first;
  if (last < profile.bins) profile.photons[last + 1] += part_of_last;
  for (int bin = first + 1; bin <= last; ++bin) profile.photons[bin] += a_bin;
}

// Light of a bunch, from half a spacing before `at` to half a spacing after: all to one bin, or flat in
// depth.
inline void plain_add(const corsika::DepthProfile& profile, const Step::Point& at, const Step::Point& between,
                      double light, double (*thickness)(double*)) {
  const double hx = 0.5 * between.x, hy = 0.5 * between.y, hz = 0.5 * between.z;
  const auto along = [&](double x, double y, double z) {
    return x * profile.axis.along_x + y * profile.axis.along_y - z * profile.axis.along_z +
           profile.axis.start;
  };
  double begin = along(at.x - hx, at.y - hy, at.z - hz);
  if (begin >= profile.edge[profile.bins]) return;
  double end = along(at.x + hx, at.y + hy, at.z + hz);
  const int first = plain_bin(profile, begin);
  const int before_last = std::min(plain_bin(profile, end) - 1, profile.bins + 1);
  plain_spread(profile, light, thickness(&begin), first, thickness(&end), before_last,
               profile.kind == corsika::DepthProfile::Kind::kSlant);
}

// The same along vertical depth: a short bunch all to the bin of its middle, a long one as above.
inline void plain_add_by_height(const corsika::DepthProfile& profile, const Step::Point& at,
                                const Step::Point& between, double light, double (*depth)(double*)) {
  const double half = 0.5 * between.z;
  double upper = at.z - half, middle = at.z, lower = at.z + half;
  if (profile.edge[profile.bins] > upper) return;
  if (half > -200. * profile.bin_depth) {
    const int bin = static_cast<int>(depth(&middle) * profile.bins_per_depth);
    if (bin < profile.bins) profile.photons[bin + 1] += light;
    return;
  }
  const double begin = depth(&upper), end = depth(&lower);
  const int first = static_cast<int>(begin * profile.bins_per_depth + 1.);
  const int last = std::min(static_cast<int>(end * profile.bins_per_depth), profile.bins);
  plain_spread(profile, light, begin, first, end, last);
}

// A sphere around a telescope; cm in the telescopes' frame, z above the detection plane.
struct Telescope {
  double x, y, z, radius;
};

using Hit = corsika::Arrival;
inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// The fake: CORSIKA's random numbers, the IACT package's refraction, telescopes and counters, and slant
// depths.
class Package {
 public:
  Package(double observed, int seed) : air(observed) { stream_.seed(1, seed); }

  // A new event, with light in the direction of flight (zenith, azimuth), as CORSIKA's THETAP and PHIP.
  void new_event(const std::vector<Telescope>& telescopes, double zenith, double azimuth, double x_impact,
                 double y_impact) {
    photons = bunches = 0.;
    impact[0] = x_impact, impact[1] = y_impact;
    telescopes_ = telescopes;
    footprints_.clear();
    for (const Telescope& t : telescopes) {
      const double lean = std::tan(zenith);
      footprints_.push_back({t.x + t.z * lean * std::cos(azimuth), t.y + t.z * lean * std::sin(azimuth),
                             1.1 * t.radius / std::cos(zenith) + 0.1 * std::fabs(t.z * lean)});
    }
    if (footprints_.empty()) return;
    low_x_ = low_y_ = HUGE_VAL, high_x_ = high_y_ = -HUGE_VAL;
    for (const Footprint& f : footprints_) {
      low_x_ = std::min(low_x_, f.x - f.half_width), high_x_ = std::max(high_x_, f.x + f.half_width);
      low_y_ = std::min(low_y_, f.y - f.half_width), high_y_ = std::max(high_y_, f.y + f.half_width);
    }
  }

  void draw(double* numbers, int n) {
    if (n > 0) stream_.fill(1, numbers, static_cast<std::size_t>(n));
    drawn += static_cast<std::uint64_t>(n);
  }

  // Refraction by u and v alone, as the IACT package has it.
  void refract(double height, double& u, double& v, double& w, double& x, double& y, double& t) const {
    const double sine = std::sqrt(u * u + v * v);
    t += (height - air.observed()) / w / 29.9792458;
    if (sine <= 0. || sine > 1.) return;
    const auto [shift, arrived] = air.arrival(height, sine);
    if (arrived > 1.) return;
    u *= arrived / sine;
    v *= arrived / sine;
    w = std::sqrt(1. - arrived * arrived);
    x += shift * u / arrived;
    y += shift * v / arrived;
  }

  // Telescopes that light at (x, y) in direction (u, v) hits: inside the footprint and, but for
  // footprints_only, through the sphere.
  [[nodiscard]] int telescopes_hit(double x, double y, double u, double v) const {
    if (x < low_x_ || x > high_x_ || y < low_y_ || y > high_y_) return 0;
    int hit = 0;
    for (std::size_t i = 0; i < footprints_.size(); ++i) {
      const Footprint& f = footprints_[i];
      if (!(std::fabs(x - f.x) <= f.half_width && std::fabs(y - f.y) <= f.half_width)) continue;
      if (footprints_only) {
        ++hit;
        continue;
      }
      // distance of the sphere's middle from the line, by the cross product with its direction
      const Telescope& t = telescopes_[i];
      const double w = std::sqrt(1. - u * u - v * v);
      const double px = t.x - x, py = t.y - y, pz = t.z;  // z upwards; light goes along (u, v, -w)
      const double cx = py * -w - pz * v, cy = pz * u - px * -w, cz = px * v - py * u;
      if (cx * cx + cy * cy + cz * cz <= t.radius * t.radius) ++hit;
    }
    return hit;
  }

  int collect(const Hit& light) {
    photons += light[0] * light[1];
    bunches += 1.;
    for (int hit = telescopes_hit(light[2] - impact[0], light[3] - impact[1], light[4], light[5]); hit > 0;
         --hit)
      hits.push_back(light);
    return answer;
  }

  [[nodiscard]] const std::vector<Footprint>& footprints() const { return footprints_; }

  // Slant depth along the axis, 1030 g/cm^2 in all.
  static double thickness(double distance) {
    return distance < 0. ? 0. : 1030. * (1. - std::exp(-distance / 2.1e6));
  }

  // --- for the stage: C functions, which go to the fake that gave them out last: played()
  static Package*& played() {
    static Package* package = nullptr;
    return package;
  }
  corsika::Routines routines() {
    played() = this;
    return {[](double* numbers, int* n, int* sequence) {
              played()->draw(numbers, *n);
              played()->last_sequence = *sequence;
            },
            [](double* height, double* u, double* v, double* w, double* x, double* y, double* t) {
              const bool measured = *x == 0. && *y == 0. && *v == 0. && *t == 0.;
              played()->refract(*height, *u, *v, *w, *x, *y, *t);
              if (measured) *x *= played()->measured_refraction;
            },
            [](Hit& light) {
              ++played()->traced;
              return played()->collect(light);
            },
            [](double* distance) { return thickness(*distance); },
            [](double* footprints, double* spheres, double* impact, int most) {
              const Package& p = *played();
              impact[0] = p.impact[0], impact[1] = p.impact[1];
              if (p.no_telescopes) return -1;
              for (std::size_t i = 0; i < p.footprints_.size() && i < static_cast<std::size_t>(most); ++i) {
                const Footprint& f = p.footprints_[i];
                const double half_width =
                    std::max(std::min(0., f.half_width), f.half_width - p.footprints_cut);
                const double own[3] = {f.x, f.y, half_width};
                std::copy(own, own + 3, footprints + 3 * i);
                const Telescope& t = p.telescopes_[i];
                const double inside[4] = {t.x, t.y, t.z, std::max(0., t.radius - p.spheres_cut)};
                const double around_footprint[4] = {f.x, f.y, 0., 1.4142136 * half_width};
                std::copy_n(p.footprints_only ? around_footprint : inside, 4, spheres + 4 * i);
              }
              return static_cast<int>(p.footprints_.size());
            },
            [](double** photons, double** bunches) {
              *photons = &played()->photons;
              *bunches = &played()->bunches;
            },
            [](const int* n, const int* sequence) {
              Package& p = *played();
              p.stream_.skip(1, *n);
              p.drawn += static_cast<std::uint64_t>(*n);
              p.last_sequence = *sequence;
            },
            [](const int*, int* iseed) {
              iseed[1] = static_cast<int>(played()->drawn % 1000000000);
              iseed[2] = static_cast<int>(played()->drawn / 1000000000);
            },
            [](const int*, double* u, double* c, int* indices, int*) {
              const ranmar::RmmaqdState state = ranmar::to_rmmaqd(played()->stream_.state(1), 97);
              std::copy(state.u.begin(), state.u.end(), u);
              *c = state.c;
              indices[0] = state.i97;
              indices[1] = state.j97;
            }};
  }

  Atmosphere air;
  double photons = 0., bunches = 0.;  // of the event
  double impact[2] = {0., 0.};
  std::vector<Hit> hits;
  std::uint64_t drawn = 0, traced = 0;
  int last_sequence = 0;
  // What plain_step calls, where it is not empty: before a bunch is refracted, with w in place of the
  // wavelength; instead of refract(); and instead of collect().
  struct Watch {
    std::function<void(const Hit&)> leaves = {};
    std::function<void(double, double&, double&, double&, double&, double&, double&)> refracts = {};
    std::function<void(const Hit&)> arrives = {};
  };
  const Watch* watch = nullptr;
  int answer = 0;                // of collect()
  bool footprints_only = false;  // all light inside of a footprint counts as a hit
  // To see that faults are found: what the stage is told, against what is.
  bool no_telescopes = false;
  double footprints_cut = 0.;       // cm, of the half width
  double spheres_cut = 0.;          // cm, of the radius
  double measured_refraction = 1.;  // times refraction

 private:
  ranmar::Generator<ranmar::Form48> stream_{ranmar::Backend::kSimd, 1};
  std::vector<Telescope> telescopes_;
  std::vector<Footprint> footprints_;
  double low_x_ = 1., high_x_ = -1., low_y_ = 1., high_y_ = -1.;
};

// A shower's surroundings: where the telescopes stand, how the profile's bins are cut along its axis.
struct Shower {
  double zenith, azimuth;  // of the direction of flight along the axis, as CORSIKA's THETAP and PHIP
  corsika::ObservationContext context;
  std::vector<Telescope> telescopes;
  std::vector<double> edges, profile;

  [[nodiscard]] Spheres spheres() const {
    std::vector<Sphere> all;
    for (const Telescope& t : telescopes) all.push_back({t.x, t.y, t.z, t.radius});
    return Spheres(all);
  }
  // `profile` of this shower, or of a copy of it.
  corsika::ObservationContext surroundings() {
    corsika::ObservationContext own = context;
    own.profile.photons = profile.data();
    own.profile.edge = edges.data();
    return own;
  }
};

inline Shower random_shower(Random& random, double observed, double max_zenith) {
  Shower shower{};
  shower.zenith = random.uniform(0., max_zenith);
  shower.azimuth = random.uniform(0., 2. * std::numbers::pi);
  const double turn = random.uniform(-0.3, 0.3);
  const bool offset = random.turn() < 0.3;
  shower.context.plane = {observed,
                          offset ? random.uniform(-5e4, 5e4) : 0.,
                          offset ? random.uniform(-5e4, 5e4) : 0.,
                          std::cos(turn),
                          std::sin(turn),
                          0.,
                          0.};
  shower.context.two_pi = 2. * std::numbers::pi;
  shower.context.cut_w = 0.;

  // Bins of equal depth along the axis, which starts at the top of the air; some slack in how many are kept.
  const double per_bin = random.logarithmic(5., 100.);
  const int bins = static_cast<int>(random.uniform(0.5, 1.) * 1030. / per_bin);
  const double length = 1.128e7 - observed;
  const double start = random.uniform(0., 1e5) + length;
  for (int edge = 0; edge <= bins + 3; ++edge) {
    const double height = -8.4e5 * std::log(std::max(1e-6, edge * per_bin / 1030.));
    shower.edges.push_back(edge == 0 ? 0. : std::max(0., start - height / std::cos(shower.zenith)));
  }
  std::sort(shower.edges.begin(), shower.edges.end());
  shower.profile.assign(shower.edges.size(), 0.);
  const Direction axis = direction(shower.zenith, shower.azimuth);
  shower.context.profile = {nullptr,  nullptr,      bins,
                            bins + 3, 1. / per_bin, axis.u,
                            axis.v,   axis.w,       start * axis.w + observed * axis.w};
  shower.context.fill_profile = true;

  // Copies of one of three kinds of arrays.
  const int kind = static_cast<int>(3. * random.turn());
  const int copies = random.turn() < 0.4 ? 1 : 2 + static_cast<int>(9. * random.turn());
  for (int copy = 0; copy < copies; ++copy) {
    const double xc = copy == 0 ? 0. : random.uniform(-7.5e4, 7.5e4),
                 yc = copy == 0 ? 0. : random.uniform(-7.5e4, 7.5e4);
    if (kind == 0) {  // four and one, at several heights
      const double at[5][3] = {{-2400., 3800., 0.},
                               {-4800., -4400., 450.},
                               {6000., -2900., 1000.},
                               {1100., 3600., 700.},
                               {-900., -13500., 1200.}};
      for (const auto& t : at) shower.telescopes.push_back({xc + t[0], yc + t[1], t[2], 700.});
    } else if (kind == 1) {  // a grid of small ones; or far up, above where some of the light begins
      const double top = random.turn() < 0.3 ? 1e5 : 3000.;
      for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column)
          shower.telescopes.push_back(
              {xc + 12000. * column, yc + 12000. * row, random.uniform(0., top), 250.});
    } else {  // one large
      shower.telescopes.push_back({xc, yc, 1600., 1500.});
    }
  }
  return shower;
}

// A step of a particle of that shower, somewhere in the air, aimed at the surroundings of a telescope.
// Charged particles are turned within steps, here far more than by the Earth's field: their direction is a
// mean of two.
inline Step random_particle(Random& random, const Shower& shower, const Package& package) {
  const auto off_axis = [&](double spread) {
    const double zenith = shower.zenith + random.sign() * random.logarithmic(1e-4, spread);
    const double azimuth =
        shower.azimuth +
        random.uniform(-1., 1.) * std::min(3., spread / std::max(0.05, std::sin(shower.zenith)));
    return std::pair(zenith, azimuth);
  };
  const auto [zenith, azimuth] = off_axis(0.3);
  Direction to = direction(zenith, azimuth);
  if (random.turn() < 0.7)
    to = mean(to, direction(zenith + random.sign() * random.logarithmic(1e-4, 0.3),
                            azimuth + random.uniform(-0.1, 0.1)));
  const double observed = package.air.observed();
  const double height = observed + random.logarithmic(3e3, 6e6);
  const auto which = static_cast<std::size_t>(random.turn() * static_cast<double>(shower.telescopes.size()));
  // around a telescope, or, with a narrow cone of light, at the rim of its footprint or sphere
  const bool rim = random.turn() < 0.5;
  const double excess = rim ? random.logarithmic(1e-4, 1.) : random.uniform(0.001, 1.);
  const double ring = 0.02 * (rim ? 0.1 : 1.) * (height - observed) / (to.w * to.w);
  const Footprint& footprint = package.footprints()[which];
  const double rim_at = random.turn() < 0.5 ? footprint.half_width : shower.telescopes[which].radius;
  const auto aim = [&](double middle, double impact, bool edge) {
    const double off = edge ? random.sign() * rim_at + random.uniform(-100., 100.)
                            : random.uniform(-1., 1.) * (footprint.half_width + ring);
    return middle + impact + off;
  };
  const bool along_x = random.turn() < 0.5;
  const double xt = aim(footprint.x, package.impact[0], rim && along_x);
  const double yt = aim(footprint.y, package.impact[1], rim && !along_x);
  const Plane& plane = shower.context.plane;
  const double x = plane.x0 + xt * plane.cos_turn - yt * plane.sin_turn;
  const double y = plane.y0 + yt * plane.cos_turn + xt * plane.sin_turn;
  constexpr int kEdges[] = {1, 2, 7, 8, 9, 99, 100, 101, 102, 199, 200, 201, 300, 301};
  const int n = random.turn() < 0.3
                    ? kEdges[static_cast<std::size_t>(random.turn() * 14.)]
                    : static_cast<int>(random.logarithmic(1., random.turn() < 0.05 ? 3000. : 100.));
  const double length =
      std::min(random.logarithmic(1., n > 50 ? 2e6 : 3e4), 0.95 * (height - observed) / to.w);
  return aimed_step(package.air, to, height, x, y, length, n, excess, 40.);
}

}  // namespace cherenkov::test
