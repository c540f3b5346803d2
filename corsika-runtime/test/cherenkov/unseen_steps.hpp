// Random and adversarial recorded steps.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "plain_cerenk.hpp"
#include "stage_limits.hpp"

namespace cherenkov::test {

// An event: telescopes, air, bins, and recorded steps of its shower, near to telescopes or far from
// them. Tests ask which of them are certainly untold.
class UnseenSteps {
 public:
  UnseenSteps(std::uint64_t seed, double observed) : random(seed), package(observed, 5) {
    shower = random_shower(random, observed, 1.1);
    package.new_event(shower.telescopes, shower.zenith, shower.azimuth, 0., 0.);
    shower.context.plane.x_impact = random.uniform(-1e3, 1e3);
    std::vector<Sphere> spheres;
    for (const Telescope& t : shower.telescopes) spheres.push_back({t.x, t.y, t.z, t.radius});
    spheres_ = Spheres(spheres);
    refraction_ = RefractionModel::measured(
        observed, kTopOfAtmosphere_cm,
        [this](double height, double u, double) { return package.air.arrival(height, u); });
    // More bins than the shower's own, so that light of most steps is in one; few edges are alike.
    const double length = shower.context.profile.start + 1e6;
    const int bins = static_cast<int>(random.logarithmic(10., 500.));
    for (int edge = 0; edge <= bins; ++edge) edges_.push_back(random.uniform(0., length));
    edges_.front() = 0.;
    edges_.back() = edges_[edges_.size() / 2];
    std::sort(edges_.begin(), edges_.end());
    edges_.push_back(1e300);  // not of the profile
    bunch_size_ = random.logarithmic(0.01, 5.);
  }

  // From now on indices are those of the steps' heights, and settings() has a table of them.
  void use_index_table() {
    corsika::Emission emission{};
    emission.tables = true;
    emission.index = index_of;
    emission.excess = excess_of;
    table_ = corsika::IndexTable::of(emission);
    ASSERT_TRUE(table_);
  }

  [[nodiscard]] corsika::EventSettings settings(bool fill_profile = true) const {
    const corsika::DepthProfile& p = shower.context.profile;
    return {{0.1, 400., bunch_size_, shower.context.plane, p.along_x, p.along_y, p.along_z, p.start},
            &spheres_,
            &refraction_,
            fill_profile ? edges_.data() : nullptr,
            fill_profile ? static_cast<int>(edges_.size()) - 2 : 0,
            table_ ? &*table_ : nullptr};
  }

  // Records step i of all `chunks`: near to telescopes or far from them, now and then with an invalid
  // argument.
  void record(std::span<corsika::RecordedSteps> chunks, int i) {
    double ignored = 0.;
    corsika::ChargedStep c = random_charged_step(random, shower, package, 400., ignored);
    if (random.turn() < 0.7) {  // aside
      const double far = random.logarithmic(1e3, 1e6), x = far * random.uniform(-1., 1.),
                   y = far * random.uniform(-1., 1.);
      c.x_begin += x, c.x_end += x;
      c.y_begin += y, c.y_end += y;
    }
    if (random.turn() < 0.7) {  // short, so that its light is in one bin
      const double part = random.logarithmic(1e-3, 1.);
      c.length *= part;
      c.x_end = c.x_begin + part * (c.x_end - c.x_begin);
      c.y_end = c.y_begin + part * (c.y_end - c.y_begin);
      c.z_end = c.z_begin + part * (c.z_end - c.z_begin);
    }
    if (random.turn() < 0.1) begin_near_edge(c);
    if (random.turn() < 0.1) spoil(c);
    double middle = 0.5 * (c.z_begin + c.z_end), begin = c.z_begin, end = c.z_end;
    corsika::RecordedSteps& steps = chunks[static_cast<std::size_t>(i / corsika::kChunkSteps)];
    const int at = i % corsika::kChunkSteps;
    steps.index_begin[at] = index_of(&begin), steps.index_middle[at] = index_of(&middle);
    steps.index_end[at] = index_of(&end);
    if (!table_ && random.turn() < 0.01) steps.index_middle[at] = std::numeric_limits<double>::quiet_NaN();
    if (random.turn() < 0.05) {  // near threshold, from either side
      const double index = table_ ? steps.index_begin[at] : 1. + random.logarithmic(1e-16, 1e-7);
      const double off = 1. + random.sign() * random.logarithmic(1e-16, 1e-9);
      c.begin_energy = c.mass / std::sqrt(1. - 1. / (index * index)) * off;
      steps.index_begin[at] = index;
    }
    steps.set(at, c);
  }

  // A power of two that a sum may have: where terms are half-way now and then, or lose most of their bits.
  double power() {
    if (random.turn() < 0.01) return 0.;
    return std::exp2(std::floor(random.turn() < 0.2 ? random.uniform(-3., 12.) : random.uniform(10., 50.)));
  }
  // A sum with that power; often near its ends.
  double sum_of(double power) {
    const double where = random.turn();
    if (where < 0.1) return power;
    if (where < 0.3) return power * (2. - random.logarithmic(1e-15, 1.));
    return std::min(power * (1. + random.turn()), std::nextafter(2. * power, 0.));
  }

  Random random;
  Package package;
  Shower shower;

 private:
  // Its light begins some 0.01 cm of the shower's axis before or after where a bin does.
  void begin_near_edge(corsika::ChargedStep& c) {
    const corsika::DepthProfile& p = shower.context.profile;
    const double edge =
        edges_[static_cast<std::size_t>(random.turn() * static_cast<double>(edges_.size() - 1))];
    const double off = p.distance(c.x_begin, c.y_begin, c.z_begin) - edge + random.uniform(-0.02, 0.02);
    c.z_begin += off / p.along_z, c.z_end += off / p.along_z;
  }
  void spoil(corsika::ChargedStep& c) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    double* const arguments[] = {&c.length,     &c.u,       &c.v,       &c.w,       &c.begin_energy,
                                 &c.end_energy, &c.x_begin, &c.y_begin, &c.z_begin, &c.x_end,
                                 &c.y_end,      &c.z_end,   &c.mass,    &c.charge};
    double& any = *arguments[static_cast<std::size_t>(random.turn() * 14.)];
    switch (static_cast<int>(random.turn() * 9.)) {
      case 0:
        any = nan;
        break;
      case 1:
        any = 0.;
        break;
      case 2:
        any = -any;
        break;
      case 3:
        any = random.turn() < 0.5 ? HUGE_VAL : -HUGE_VAL;
        break;
      case 4:
        any *= random.logarithmic(1e-300, 1e300);
        break;
      case 5:
        c.u = c.v = 0., c.w = 1.;
        break;
      case 6:
        c.w = random.uniform(0., 0.3), c.u = std::sqrt(1. - c.w * c.w), c.v = 0.;
        break;
      case 7: {  // so far that positions are rounded to metres
        const double far = random.logarithmic(1e10, 1e15);
        c.x_begin += far, c.x_end += far;
        break;
      }
      default:
        c.length = 0.;
    }
  }

  Spheres spheres_;
  RefractionModel refraction_;
  std::optional<corsika::IndexTable> table_;
  std::vector<double> edges_;
  double bunch_size_;
};

}  // namespace cherenkov::test
