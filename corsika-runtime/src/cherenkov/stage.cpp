// Compiled with -ffp-contract=off, and each operation in CERENK's order: every bunch that is not skipped, and
// every sum, must come out with the same bits.
#include "corsika_runtime/cherenkov/stage.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cherenkov/running_sum.hpp"
#include "ranmar/rmmaqd_state.hpp"

namespace cherenkov::corsika {
namespace {

constexpr std::size_t kMostTelescopes = 100000;
constexpr double kTopOfAtmosphere = 1.128e7;  // cm: CORSIKA's
// Footprints are widened by this; a step whose light is not known to arrive within it is left to CORSIKA.
constexpr double kMargin = 40.;       // cm
constexpr double kChoose = 2.;        // cm, for what choose() itself rounds: 0.1 and 1e-8 of 600 km
constexpr double kMostRounding = 1.;  // cm, for what rounding brings into CORSIKA's own positions
constexpr double kUlp = 0x1p-53;      // of one operation, relative
constexpr double kSureOfThreshold = 1e-9;
constexpr double kUnit = 1e-9;           // a direction's squared length may be above 1 by this
constexpr double kDiagonal = 1.4142136;  // of what is known in x and in y
constexpr double kMostTilt = 1e-6;       // of slopes, for what is rounded
const int kCherenkovSequence = 3;
constexpr std::size_t kFewTelescopes = 32;
constexpr std::size_t kMostLookedAt =
    256;  // beyond, looking at all spheres is taken to cost more than following a bunch

// CORSIKA's direction of a step is the mean of those at its ends, so shorter than 1 where the magnetic field
// turned the particle. Its straight lines go by w as it is; refraction goes by u and v alone, that is by
//   c^2 = 1 - u^2 - v^2 = w^2 + s (1 - sin^2(theta) cos^2(phi)),  s = 1 - |direction|^2,
// and the shift k (u, v) / c^3 is (w/c)^3 of the one that choose() computes, which is least where w is.
struct Shortened {
  double factor, spread;
};
Shortened shortened(const Cone& cone, double airmass) {
  // (1 + s/w^2)^(-3/2) is between 1 - 3/2 s/w^2 and 1
  const double half = 0.75 * std::max(0., cone.short_of_unit) * (airmass * airmass);
  return {1. - half, half};
}

// What choose() is to be told of refraction, and how far (cm) light may then arrive from where it looks.
class Refraction {
 public:
  struct Aim {
    double k, error;
  };

  // bend: null where light goes straight; airmass: 1/w, of the least w in the cone; most_sin: |(u, v)| of its
  // light, at most
  Refraction(const Bend* bend, const Cone& cone, double airmass, double most_sin)
      : bend_(bend),
        shortened_(shortened(cone, airmass)),
        // |(u, v)| / w^3, and the formula's error, are largest where w is least
        most_slope_(most_sin * (airmass * airmass * airmass)),
        formula_error_(Bend::relative_error(airmass)),
        short_of_unit_(std::fabs(cone.short_of_unit)) {}

  // Of all light of the step: its shift over k, at most.
  [[nodiscard]] double most_slope() const { return most_slope_; }

  // How far slopes may be from those at emission: refraction, and directions shorter than 1, whose light is
  // recorded by u and v alone.
  [[nodiscard]] double tilt() const {
    return most_slope_ * ((bend_ == nullptr ? 0. : Bend::kMostTurn) + short_of_unit_) + kMostTilt;
  }

  // Of light that leaves between two heights.
  [[nodiscard]] Aim between(double from, double to) const {
    if (bend_ == nullptr) return {0., 0.};
    const Bend::Strength strength = bend_->between(from, to);
    const double size = std::fabs(strength.k);
    const double relative = shortened_.spread + formula_error_;
    return {strength.k * shortened_.factor,
            most_slope_ * (size * relative + strength.error * (1. + relative))};
  }

 private:
  const Bend* bend_;
  Shortened shortened_;
  double most_slope_, formula_error_, short_of_unit_;
};

// How far rounding may move a position on the ground (cm), in CORSIKA's sums of n terms and in choose()'s
// products.
double rounding(const Step& step, const Plane& plane, double airmass) {
  const double n = step.bunches;
  const auto reach = [n](double before, double between) {
    return std::fabs(before) + n * std::fabs(between);
  };
  const double size = reach(step.before.x, step.between.x) + reach(step.before.y, step.between.y) +
                      reach(step.before.z, step.between.z) + std::fabs(plane.x0) + std::fabs(plane.y0) +
                      std::fabs(plane.height) + std::fabs(plane.x_impact) + std::fabs(plane.y_impact);
  return (2. * n + 64.) * kUlp * size * (airmass * airmass);
}

// Time of arrival (ns) of light that leaves at `at` and has `away` cm to go, as CERENK computes it.
double straight_arrival(const StraightLight& air, int bunches, const Step::Point& at, double w, double away) {
  double depth = 0.;
  if (bunches > 3) {
    double begin = air.begin;
    double end = air.end;
    const double from = std::max(1e-3, air.depth_of(&begin));
    depth = from * std::exp(std::log(air.depth_of(&end) / from) / air.length * at.path);
  } else {
    double height = at.z;
    depth = air.depth_of(&height);
  }
  return (at.time + (air.index_per_density * (air.depth_at_plane - depth) / w + away) / air.light_speed) *
         1e9;
}

}  // namespace

void Stage::look_for_new_event() {
  if (bunches_ == nullptr) routines_.counters(&photons_, &bunches_);
  if (*bunches_ == 0. || *bunches_ < bunches_seen_) event_known_ = false;
  bunches_seen_ = *bunches_;
}

void Stage::left_to_corsika() {
  look_for_new_event();
  ++counts_.stock_steps;
}

void Stage::new_event(double plane_height, bool straight) {
  ++counts_.maps;
  event_known_ = true;
  edges_known_ = false;
  scene_known_ = false;
  if (deferred_ && deferred_->waits()) {
    std::fprintf(stderr, "cherenkov: error: an event began before the light of the last one was followed\n");
    std::exit(1);
  }
  try {
    if (!bend_ && !straight) {
      bend_ = Bend::measured(plane_height, kTopOfAtmosphere, [this](double height, double u, double w) {
        double v = 0., x = 0., y = 0., t = 0.;
        routines_.bend(&height, &u, &v, &w, &x, &y, &t);
        return Bend::Arrival{x, u};
      });
    }
    std::vector<double> footprints(3 * kMostTelescopes), spheres(4 * kMostTelescopes);
    constexpr int kMost = kMostTelescopes;
    const int n = routines_.telescopes(footprints.data(), spheres.data(), impact_, kMost);
    if (n < 0 || n > kMost) {
      refuse("the telescopes of this IACT package cannot be told");
      return;
    }
    std::vector<Footprint> on_ground;
    std::vector<Sphere> in_space;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      const double* f = &footprints[3 * i];
      const double* s = &spheres[4 * i];
      on_ground.push_back({f[0], f[1], f[2]});
      in_space.push_back({s[0], s[1], s[2], s[3]});
    }
    ground_ = Ground(on_ground, kMargin);
    spheres_ = Spheres(in_space);
  } catch (const std::exception& e) {
    refuse(e.what());
  }
}

void Stage::refuse(const std::string& why) {
  refused_ = why;
  std::fprintf(stderr, "cherenkov: %s; CORSIKA's own code goes on\n", why.c_str());
}

bool Stage::cannot_hit(const Bunch& bunch, bool straight) const {
  if (!(bunch.w > 0.)) return false;
  double x = bunch.x - impact_[0];
  double y = bunch.y - impact_[1];
  if (!straight) {
    if (!bend_ || !(bunch.height >= bend_->low() && bunch.height <= bend_->high())) return false;
    // RAYBND goes by u and v alone.
    const double sin2 = bunch.u * bunch.u + bunch.v * bunch.v;
    const double cos2 = 1. - sin2;
    if (!(cos2 > Bend::kLeastW * Bend::kLeastW)) return false;
    const double cosine = std::sqrt(cos2);
    const Bend::Strength strength = bend_->between(bunch.height, bunch.height);
    const double relative = Bend::relative_error(1. / cosine);
    const double error = std::sqrt(sin2) / (cosine * cos2) *
                         (std::fabs(strength.k) * relative + strength.error * (1. + relative));
    if (!(error + kChoose <= kMargin)) return false;
    const double scale = strength.k / (cosine * cos2);
    x -= scale * bunch.u;
    y -= scale * bunch.v;
  }
  return std::isfinite(x) && std::isfinite(y) && !ground_.reachable(x, y);
}

bool Stage::skip(const Bunch& bunch, double plane_height, bool straight) {
  if (!refused_.empty()) return false;
  look_for_new_event();
  if (!event_known_) new_event(plane_height, straight);
  if (!refused_.empty()) return false;
  if (cannot_hit(bunch, straight)) {
    ++counts_.skipped;
  } else if (deferred_ && deferred_->waits()) {
    deferred_->add(bunch);
    ++counts_.queued;
  } else {
    return false;
  }
  *photons_ += bunch.photons;
  *bunches_ += 1.;
  bunches_seen_ = *bunches_;
  return true;
}

void Stage::emit_along(const Step& step, double path, int n) {
  for (int i = 0; i < n; ++i) path_[i] = path += step.between.path;
  std::fill_n(path_ + n, std::min(8, kPaddedBunches - n), path);
  cherenkov::emit(step, path_, n, light_);
}

void Stage::fill_profile(const Step& step, const Surroundings& around, const Step::Point& from, int n) {
  const Step::Point half{0.5 * step.between.path, 0.5 * step.between.x, 0.5 * step.between.y,
                         0.5 * step.between.z, 0.};
  const auto edge_at = [&](double steps) {
    return Step::Point{0., from.x + steps * step.between.x, from.y + steps * step.between.y,
                       from.z + steps * step.between.z, 0.};
  };
  const double* photons = light_.photons;
  if (const int bin = around.profile.only_bin(edge_at(0.5), edge_at(n + 0.5)); bin != 0) {
    around.profile.photons[bin] = running_sum(around.profile.photons[bin], photons, n);
    return;
  }
  Step::Point at = from;
  for (int i = 0; i < n; ++i) {
    at = next_point(at, step.between);
    if (const int own = around.profile.only_bin(edge_at(i + 0.5), edge_at(i + 1.5)); own != 0)
      around.profile.photons[own] += photons[i];
    else
      around.profile.add(at, half, photons[i], routines_.thickness);
  }
}

bool Stage::emit(const Step& step, const Surroundings& around) {
  look_for_new_event();
  const bool taken = take(step, around);
  if (!taken) ++counts_.stock_steps;
  bunches_seen_ = *bunches_;
  return taken;
}

bool Stage::take(const Step& step, const Surroundings& around) {
  if (!refused_.empty()) return false;
  if (!event_known_) new_event(around.plane.height, around.straight != nullptr);
  if (!refused_.empty()) return false;
  if (around.fill_profile && !edges_known_) {
    edges_known_ = true;
    if (around.profile.kind != DepthProfile::Kind::kHeight &&
        !std::is_sorted(around.profile.edge, around.profile.edge + around.profile.bins + 2)) {
      refuse("the bins of the longitudinal distribution are not in order");
      return false;
    }
  }

  // All bunches above threshold, and all light well downwards, or CORSIKA does it.
  const int n = step.bunches;
  const double first_beta_n = step.beta_n + step.beta_n_slope * (step.before.path + step.between.path);
  const double last_beta_n = step.beta_n + step.beta_n_slope * (step.before.path + n * step.between.path);
  const double least = std::min(first_beta_n, last_beta_n);
  const double most = std::max(first_beta_n, last_beta_n);
  if (!(least > 1. + kSureOfThreshold)) return false;
  const double least_tan = std::sqrt((least - 1.) * (least + 1.));
  const double most_tan = std::sqrt((most - 1.) * (most + 1.));
  // cos(theta) = 1/(beta n) >= 2 - beta n, and sin(theta) <= tan(theta)
  const Cone cone{step.w0 * (2. - most) - around.sin_particle * most_tan, least_tan, most_tan, most,
                  1. - (step.u0 * step.u0 + step.v0 * step.v0 + step.w0 * step.w0)};
  if (!(cone.least_w > Bend::kLeastW && cone.least_w > around.least_w + 1e-6 && cone.short_of_unit > -kUnit))
    return false;
  plane_ = around.plane;
  plane_.x_impact = impact_[0];
  plane_.y_impact = impact_[1];
  const double airmass = 1. / cone.least_w;
  if (!(rounding(step, plane_, airmass) < kMostRounding)) return false;

  const double top = step.before.z + 0.5 * step.between.z;
  const double bottom = top + n * step.between.z;
  if (!(std::min(top, bottom) >= plane_.height && std::max(top, bottom) <= kTopOfAtmosphere)) return false;
  const Refraction refraction(around.straight == nullptr ? &*bend_ : nullptr, cone, airmass,
                              std::min(1., around.sin_particle + most_tan));
  const auto known = [](const Refraction::Aim& aim) {
    return aim.error + kChoose + kMostRounding <= kMargin;
  };
  const auto aim_at = [&](int done) {
    const double from = step.before.z + done * step.between.z;
    return refraction.between(from, from + kMostBunches * step.between.z);
  };
  const Refraction::Aim whole = refraction.between(top, bottom);
  const bool one_stretch = known(whole);
  for (int done = 0; !one_stretch && done < n; done += kMostBunches)
    if (!known(aim_at(done))) return false;

  const double slack = whole.error + std::fabs(whole.k) * refraction.most_slope() + kChoose + kMostRounding;
  const bool later = defers(around, n);
  // A device looks at rings, too, but handing a step over costs as much as looking at some spheres here.
  const bool look_here = !later || spheres_.size() <= kFewTelescopes;
  // Lines are followed to either side, so light may pass a sphere above it.
  const bool above = std::min(top, bottom) > plane_.height + spheres_.top();
  const double ring_slack = above ? slack : HUGE_VAL;
  const double tilt = refraction.tilt();
  const bool near_telescopes =
      !look_here || spheres_.touched_by(ring_of(step, plane_, cone, ring_slack, tilt));
  const auto doubt_of = [&](const Refraction::Aim& aim) {
    return Doubt{kDiagonal * (aim.error + kChoose + kMostRounding), tilt};
  };
  ++counts_.steps;
  counts_.rings += look_here && near_telescopes ? 1U : 0U;
  counts_.bunches += static_cast<std::uint64_t>(n);
  double total = *photons_;
  const double bunches = *bunches_ + n;
  // CORSIKA draws what a step of up to 100 bunches needs, and 100 at a time beyond that.
  const int drawn_at_once = std::min(n, kMostBunches);
  const bool choose_here = near_telescopes && !later;
  const bool step_over = !choose_here && routines_.step_over != nullptr;
  std::uint64_t azimuth = 0;
  if (step_over) {
    if (near_telescopes) azimuth = drawn() - drawn_before_;
    const int all = (n + kMostBunches - 1) / kMostBunches * drawn_at_once;
    routines_.step_over(&all, &kCherenkovSequence);
  }
  // The emission point after so many sums, from one that is needed to the next.
  Step::Point at = step.before;
  int sums = 0;
  const auto go_on_to = [&](int bunch) -> const Step::Point& {
    for (; sums < bunch; ++sums) at = next_point(at, step.between);
    return at;
  };
  for (int done = 0; done < n; done += kMostBunches) {
    const int here = std::min(n - done, kMostBunches);
    if (!step_over) {
      int count = drawn_at_once, sequence = kCherenkovSequence;
      routines_.draw(azimuth_, &count, &sequence);
    }
    if (!try_emit(step, done, here, light_)) emit_along(step, go_on_to(done).path, here);
    if (around.fill_profile) fill_profile(step, around, go_on_to(done), here);
    total = running_sum(total, light_.photons, here);

    if (later) {
      if (near_telescopes && !one_stretch)
        deferred_->add(Stretch{step, cone, ring_slack, doubt_of(aim_at(done)), aim_at(done).k, done, here,
                               azimuth + static_cast<std::uint64_t>(done)});
    } else if (choose_here) {
      const Refraction::Aim aim = one_stretch ? whole : aim_at(done);
      const Sieve sieve{spheres_.size() > kMostLookedAt ? nullptr : &spheres_, doubt_of(aim)};
      const int chosen = choose(step, done, here, light_, azimuth_, plane_, aim.k, ground_, chosen_, sieve);
      for (int c = 0; c < chosen; ++c) {
        const int i = chosen_[c];
        follow(step, go_on_to(done + i + 1), {light_.cos_theta[i], light_.sin2_theta[i], light_.photons[i]},
               azimuth_[i], around);
      }
    }
  }
  if (later && near_telescopes && one_stretch)
    deferred_->add(Stretch{step, cone, ring_slack, doubt_of(whole), whole.k, 0, n, azimuth});
  // collect() counts what it is given; the sums are of all bunches, in their order.
  *photons_ = total;
  *bunches_ = bunches;
  return true;
}

void Stage::follow(const Step& step, const Step::Point& at, const OneLight& light, double azimuth,
                   const Surroundings& around) {
  ++counts_.chosen;
  const Plane& plane = around.plane;  // of the light's own step, which need not be the latest
  const double phi = azimuth * around.two_pi;
  const double sin_theta = std::sqrt(light.sin2_theta);
  const double x_turn = sin_theta * std::cos(phi);
  const double y_turn = sin_theta * std::sin(phi);
  const double u2 = step.cu * x_turn + step.su * y_turn + step.u0 * light.cos_theta;
  const double v2 = step.cv * x_turn + step.sv * y_turn + step.v0 * light.cos_theta;
  double w = std::min(1., step.sw * y_turn + step.w0 * light.cos_theta);
  const double away = (at.z - plane.height) / w;
  const double x2 = at.x + away * u2 - plane.x0;
  const double y2 = at.y + away * v2 - plane.y0;
  double x = x2 * plane.cos_turn + y2 * plane.sin_turn;
  double y = y2 * plane.cos_turn - x2 * plane.sin_turn;
  double u = u2 * plane.cos_turn + v2 * plane.sin_turn;
  double v = v2 * plane.cos_turn - u2 * plane.sin_turn;
  double time = at.time * 1e9;
  double height = at.z;
  if (around.straight == nullptr)
    routines_.bend(&height, &u, &v, &w, &x, &y, &time);
  else
    time = straight_arrival(*around.straight, step.bunches, at, w, away);
  collect(light.photons, x, y, u, v, time, height);
}

void Stage::collect(double photons, double x, double y, double u, double v, double time, double height) {
  double weight = 1.;
  double wavelength = 0.;
  routines_.collect(&photons, &weight, &x, &y, &u, &v, &time, &height, &wavelength);
}

bool Stage::defers(const Surroundings& around, int bunches) {
  if (start_device_ && counts_.steps >= device_from_ &&
      (device_from_ == 0 || spheres_.size() > kFewTelescopes))
    start_device(around.straight != nullptr);
  if (!deferred_) return false;
  if (around.straight != nullptr || !deferred_->works() ||
      static_cast<std::uint64_t>(bunches) > kBatchNumbers / 2) {
    deferred_->flush();
    return false;
  }
  if (!scene_known_ || plane_ != scene_.plane || around.two_pi != scene_.two_pi) begin_scene(around.two_pi);
  return deferred_->works();
}

void Stage::start_device(bool straight) {
  const StartDevice start = std::exchange(start_device_, {});
  if (straight) {
    std::fprintf(stderr, "cherenkov: light goes straight; going on on the CPU\n");
    return;
  }
  try {
    if (routines_.step_over == nullptr) throw std::runtime_error("the generator is CORSIKA's own");
    auto device = start();
    if (device == nullptr) return;
    deferred_ = std::make_unique<Deferred>(
        std::move(device), Deferred::Follow{[this](const Stretch& stretch, std::span<const Chosen> chosen) {
                                              follow_later(stretch, chosen);
                                            },
                                            [this](const Bunch& bunch) { follow_later(bunch); }});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cherenkov: no device: %s; going on on the CPU\n", e.what());
  }
}

void Stage::begin_scene(double two_pi) {
  deferred_->flush();
  scene_known_ = true;
  scene_ = {};
  scene_.plane = plane_;
  scene_.two_pi = two_pi;
  drawn_before_ = drawn();
  ranmar::RmmaqdState classic;
  int indices[2] = {0, 0}, iseed[3] = {0, 0, 0};
  routines_.sequence_state(&kCherenkovSequence, classic.u.data(), &classic.c, indices, iseed);
  classic.i97 = indices[0];
  classic.j97 = indices[1];
  deferred_->begin(ranmar::from_rmmaqd(classic), {plane_, ground_, spheres_});
}

std::uint64_t Stage::drawn() const {
  int iseed[3] = {0, 0, 0};
  routines_.sequence_counters(&kCherenkovSequence, iseed);
  return static_cast<std::uint64_t>(iseed[2]) * 1000000000U + static_cast<std::uint64_t>(iseed[1]);
}

void Stage::flush() {
  if (deferred_) deferred_->flush();
}

// The sums have counted it when it was emitted.
void Stage::follow_later(const Stretch& stretch, std::span<const Chosen> chosen) {
  const double photons = *photons_;
  const double bunches = *bunches_;
  const Step& step = stretch.step;
  Step::Point at = step.before;
  int next = 0;
  for (const Chosen& c : chosen) {
    for (; next <= c.bunch; ++next) at = next_point(at, step.between);
    // As in emit(), operation by operation.
    const double cos_theta = 1. / (step.beta_n + step.beta_n_slope * at.path);
    const double sin2_theta = (1. - cos_theta) * (1. + cos_theta);
    follow(step, at, {cos_theta, sin2_theta, step.photons_per_sin2 * sin2_theta}, c.azimuth, scene_);
  }
  *photons_ = photons;
  *bunches_ = bunches;
}

void Stage::follow_later(const Bunch& bunch) {
  const double photons = *photons_;
  const double bunches = *bunches_;
  Bunch b = bunch;
  double time = b.time * 1e9;
  routines_.bend(&b.height, &b.u, &b.v, &b.w, &b.x, &b.y, &time);
  collect(b.photons, b.x, b.y, b.u, b.v, time, b.height);
  *photons_ = photons;
  *bunches_ = bunches;
}

}  // namespace cherenkov::corsika
