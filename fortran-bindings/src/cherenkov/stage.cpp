// Compiled with -ffp-contract=off, and each operation in CERENK's order: every bunch that is not skipped, and
// every sum, must come out with the same bits.
#include "stage.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

namespace cherenkov::corsika {
namespace {

constexpr int kMostTelescopes = 100000;
constexpr double kTopOfAtmosphere = 1.128e7;  // cm: CORSIKA's
// Footprints are widened by this; a step whose refraction is not known to the rest of it is left to CORSIKA.
constexpr double kMargin = 40.;     // cm
constexpr double kBesideBend = 5.;  // cm, for what choose() itself rounds
constexpr double kSureOfThreshold = 1e-9;
constexpr int kCherenkovSequence = 3;

}  // namespace

void Stage::new_event(const Surroundings& around) {
  ++counts_.maps;
  try {
    if (!bend_) {
      routines_.counters(&photons_, &bunches_);
      bend_ =
          Bend::measured(around.plane.height, kTopOfAtmosphere, [this](double height, double u, double w) {
            double v = 0., x = 0., y = 0., t = 0.;
            routines_.bend(&height, &u, &v, &w, &x, &y, &t);
            return x;
          });
    }
    std::vector<double> x(kMostTelescopes), y(kMostTelescopes), half_width(kMostTelescopes);
    const int n = routines_.footprints(x.data(), y.data(), half_width.data(), impact_, kMostTelescopes);
    if (n < 0 || n > kMostTelescopes) {
      refused_ = "the telescopes of this IACT package cannot be told";
      return;
    }
    std::vector<Footprint> footprints;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
      footprints.push_back({x[i], y[i], half_width[i]});
    ground_ = Ground(footprints, kMargin);
    if (around.fill_profile &&
        !std::is_sorted(around.profile.edge, around.profile.edge + around.profile.bins + 2))
      refused_ = "the bins of the longitudinal distribution are not in order";
  } catch (const std::exception& e) {
    refused_ = e.what();
  }
  if (!refused_.empty())
    std::fprintf(stderr, "cherenkov: %s; CORSIKA's own code goes on\n", refused_.c_str());
}

void Stage::fill_profile(const Step& step, const Surroundings& around, const Step::Point& from, int n,
                         double& total) {
  const Step::Point half{0.5 * step.between.path, 0.5 * step.between.x, 0.5 * step.between.y,
                         0.5 * step.between.z, 0.};
  const auto edge_at = [&](double steps) {
    return Step::Point{0., from.x + steps * step.between.x, from.y + steps * step.between.y,
                       from.z + steps * step.between.z, 0.};
  };
  const double* photons = light_.photons;
  double sum = total;
  if (const int bin = around.profile.only_bin(edge_at(0.5), edge_at(n + 0.5)); bin != 0) {
    double in_bin = around.profile.photons[bin];
    for (int i = 0; i < n; ++i) {
      sum += photons[i];
      in_bin += photons[i];
    }
    around.profile.photons[bin] = in_bin;
  } else {
    Step::Point at = from;
    for (int i = 0; i < n; ++i) {
      at = next_point(at, step.between);
      sum += photons[i];
      if (const int own = around.profile.only_bin(edge_at(i + 0.5), edge_at(i + 1.5)); own != 0)
        around.profile.photons[own] += photons[i];
      else
        around.profile.add(at, half, photons[i], routines_.thickness);
    }
  }
  total = sum;
}

bool Stage::emit(const Step& step, const Surroundings& around) {
  if (take(step, around)) return true;
  left_to_corsika();
  return false;
}

bool Stage::take(const Step& step, const Surroundings& around) {
  if (!refused_.empty()) return false;
  if (bunches_ == nullptr || *bunches_ == 0.) new_event(around);
  if (!refused_.empty()) return false;

  // All bunches above threshold, and all light well downwards, or CORSIKA does it.
  const int n = step.bunches;
  const double first_beta_n = step.beta_n + step.beta_n_slope * (step.before.path + step.between.path);
  const double last_beta_n = step.beta_n + step.beta_n_slope * (step.before.path + n * step.between.path);
  const double least = std::min(first_beta_n, last_beta_n);
  const double most = std::max(first_beta_n, last_beta_n);
  if (!(least > 1. + kSureOfThreshold)) return false;
  const double most_sin = std::sqrt((1. - 1. / most) * (1. + 1. / most));
  const double least_w = step.w0 / most - around.sin_particle * most_sin;
  if (!(least_w > 0.2 && least_w > around.least_w + 1e-6)) return false;

  const double top = step.before.z + 0.5 * step.between.z;
  const double bottom = top + n * step.between.z;
  if (std::min(top, bottom) < bend_->low() || std::max(top, bottom) > bend_->high()) return false;
  const double tangent = std::sqrt((1. - least_w) * (1. + least_w)) / (least_w * least_w * least_w);
  const auto whole = bend_->between(top, bottom);
  const double formula_error = std::fabs(whole.k) * tangent * Bend::relative_error(least_w);
  const auto known = [&](double error) { return error * tangent + formula_error + kBesideBend <= kMargin; };
  const bool one_stretch = known(whole.error);
  for (int done = 0; !one_stretch && done < n; done += kMostBunches) {
    const double from = step.before.z + done * step.between.z;
    if (!known(bend_->between(from, from + kMostBunches * step.between.z).error)) return false;
  }

  ++counts_.steps;
  counts_.bunches += static_cast<std::uint64_t>(n);
  double total = *photons_;
  const double bunches = *bunches_ + n;
  Step::Point from = step.before;
  Plane plane = around.plane;
  plane.x_impact = impact_[0];
  plane.y_impact = impact_[1];
  int sequence = kCherenkovSequence;
  for (int done = 0; done < n; done += kMostBunches) {
    // CORSIKA draws what a step of up to 100 bunches needs, and 100 at a time beyond that.
    const int here = std::min(n - done, kMostBunches);
    int drawn = n < kMostBunches ? n : kMostBunches;
    routines_.draw(azimuth_, &drawn, &sequence);

    double path = from.path;
    for (int i = 0; i < here; ++i) {
      path += step.between.path;
      path_[i] = path;
    }
    std::fill_n(path_ + here, std::min(8, kPaddedBunches - here), path);
    cherenkov::emit(step, path_, here, light_);
    if (around.fill_profile) {
      fill_profile(step, around, from, here, total);
    } else {
      for (int i = 0; i < here; ++i) total += light_.photons[i];
    }

    double k = whole.k;
    if (!one_stretch) {
      const double height = step.before.z + done * step.between.z;
      k = bend_->between(height, height + kMostBunches * step.between.z).k;
    }
    const int chosen = choose(step, done, here, light_, azimuth_, plane, k, ground_, chosen_);
    counts_.chosen += static_cast<std::uint64_t>(chosen);
    Step::Point at = from;
    int next = 0;
    for (int c = 0; c < chosen; ++c) {
      const int i = chosen_[c];
      for (; next <= i; ++next) at = next_point(at, step.between);
      const double phi = azimuth_[i] * around.two_pi;
      const double cos_theta = light_.cos_theta[i];
      const double sin_theta = std::sqrt(light_.sin2_theta[i]);
      const double x_turn = sin_theta * std::cos(phi);
      const double y_turn = sin_theta * std::sin(phi);
      const double u2 = step.cu * x_turn + step.su * y_turn + step.u0 * cos_theta;
      const double v2 = step.cv * x_turn + step.sv * y_turn + step.v0 * cos_theta;
      double w = std::min(1., step.sw * y_turn + step.w0 * cos_theta);
      const double away = (at.z - plane.height) / w;
      const double x2 = at.x + away * u2 - plane.x0;
      const double y2 = at.y + away * v2 - plane.y0;
      double x = x2 * plane.cos_turn + y2 * plane.sin_turn;
      double y = y2 * plane.cos_turn - x2 * plane.sin_turn;
      double u = u2 * plane.cos_turn + v2 * plane.sin_turn;
      double v = v2 * plane.cos_turn - u2 * plane.sin_turn;
      double time = at.time * 1e9;
      double height = at.z;
      double photons = light_.photons[i];
      double weight = 1.;
      double wavelength = 0.;
      routines_.bend(&height, &u, &v, &w, &x, &y, &time);
      routines_.collect(&photons, &weight, &x, &y, &u, &v, &time, &height, &wavelength);
    }
    for (; next < here; ++next) at = next_point(at, step.between);
    from = at;
  }
  // collect() counts what it is given; the sums are of all bunches, in their order.
  *photons_ = total;
  *bunches_ = bunches;
  return true;
}

}  // namespace cherenkov::corsika
