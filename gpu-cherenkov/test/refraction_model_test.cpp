#include "cherenkov/refraction_model.hpp"

#include <gtest/gtest.h>

#include "random_step.hpp"

namespace {

using cherenkov::RefractionModel;
using cherenkov::test::Atmosphere, cherenkov::test::Random, cherenkov::test::kShare;

constexpr double kTop = 1.128e7;

// Snell's law for plane layers keeps n sin(theta), so light runs dx/dz = tan(theta) with that. What it gains
// on a straight line, by Simpson's rule in long double.
double snell_shift(const Atmosphere& air, double height, double u, double w) {
  const long double kept = (1.L + air.refractivity(height)) * static_cast<long double>(u);
  const long double straight = static_cast<long double>(u) / static_cast<long double>(w);
  const auto excess = [&](long double z) {
    const long double sine = kept / (1.L + air.refractivity(static_cast<double>(z)));
    return sine / std::sqrt((1.L - sine) * (1.L + sine)) - straight;
  };
  constexpr int kIntervals = 2000;
  const long double step = (static_cast<long double>(height) - air.observed()) / kIntervals;
  long double sum = excess(air.observed()) + excess(height);
  for (int i = 1; i < kIntervals; ++i) sum += (i % 2 == 1 ? 4.L : 2.L) * excess(air.observed() + i * step);
  return static_cast<double>(sum * step / 3.L);
}

// Measured by the package's formula, k predicts what an exact trace gives: neither of the two depends on the
// other.
TEST(RefractionModel, PredictsAnExactTrace) {
  Random random(11);
  for (const double observed : {0., 1.27e5, 2.2e5}) {
    const Atmosphere air(observed);
    const RefractionModel model = air.measured();
    double most = 0.;
    for (int i = 0; i < 2000; ++i) {
      const double height = observed + (kTop - observed) * std::pow(random.turn(), 3.);
      const double w = random.uniform(RefractionModel::kMinW, 1.), u = std::sqrt((1. - w) * (1. + w));
      const auto range = model.between(height, height);
      const double slope = u / (w * w * w);
      const double allowed =
          slope *
          ((std::fabs(range.k) + range.error) * RefractionModel::relative_error(1. / w) + range.error);
      const double error = std::fabs(snell_shift(air, height, u, w) + range.k * slope);
      ASSERT_LE(error, allowed + 1e-3) << "height " << height << " w " << w;
      most = std::max(most, error / (allowed + 1e-3));
    }
    EXPECT_GT(most, 0.2) << "a bound this loose tests nothing";
  }
}

// At every height of a segment, dense within intervals of the table, k is within the stated error of the
// middle.
TEST(RefractionModel, BetweenBoundsKAtEveryHeight) {
  Random random(12);
  const double low = 1.27e5;
  const Atmosphere air(low);
  const RefractionModel model = air.measured();
  const auto k = [&](double height) { return -air.shift(height, std::sqrt(0.5)) * 0.5; };
  for (int i = 0; i < 2000; ++i) {
    const double from = low + (kTop - low) * std::pow(random.turn(), 3.);
    const double to = std::clamp(from + random.sign() * random.logarithmic(1., 1e7), low, kTop);
    const auto one = model.between(from, to), other = model.between(to, from);
    ASSERT_EQ(one.k, other.k);
    ASSERT_EQ(one.error, other.error);
    for (int j = 0; j <= 64; ++j) {
      const double height = from + (to - from) * j / 64.;
      ASSERT_LE(std::fabs(k(height) - one.k), one.error) << from << " to " << to << " at " << height;
    }
  }
}

TEST(RefractionModel, ATableWithAStepIsBoundedToo) {
  const Atmosphere air(0.);
  const double at = 5.5e5;  // half a metre of k more above it
  const auto k = [&](double height) { return air.k(height) + (height < at ? 0. : 50.); };
  const RefractionModel model = RefractionModel::measured(0., kTop, [&](double height, double u, double w) {
    return RefractionModel::Arrival{-k(height) * u / (w * w * w), u};
  });
  for (int i = 0; i < 1176; ++i) {
    const double height = 5.4e5 + 17. * i;
    const auto range = model.between(height, height + 1.);
    ASSERT_LE(std::fabs(k(height) - range.k), range.error) << height;
    ASSERT_LE(std::fabs(k(height + 1.) - range.k), range.error) << height;
  }
}

TEST(RefractionModel, WhatDoesNotFollowTheFormulaIsRefused) {
  const Atmosphere air(0.);
  const auto measured_with = [&air](double (*factor)(double h, double w)) {
    RefractionModel::measured(0., kTop, [&](double h, double u, double w) {
      return RefractionModel::Arrival{-air.k(h) * u / (w * w * w) * factor(h, w), air.arriving(h, u)};
    });
  };
  EXPECT_NO_THROW(measured_with([](double, double) { return 1.; }));
  for (double (*factor)(double h, double w) : {
           // another power of the cosine; curved layers, say
           +[](double, double w) { return w; },
           // half a percent more, growing towards the horizon
           +[](double, double w) { return 1. + 0.005 * (std::sqrt((1. - w) * (1. + w)) / w - 1.); },
           // right except for the flattest light that is ever asked for
           +[](double, double w) { return w < 0.21 ? 1.05 : 1.; },
           // right except at the top
           +[](double h, double w) { return h > kTop - 1. && w < 0.5 ? 1.05 : 1.; },
           +[](double h, double) { return h > 5e5 ? std::nan("") : 0.; },
       })
    EXPECT_THROW(measured_with(factor), std::runtime_error);
}

TEST(RefractionModel, LightThatIsTurnedByMoreThanAirDoesIsRefused) {
  const Atmosphere air(0.);
  for (const auto& [turn, fits] : {std::pair(1., true), {1.5, true}, {2., false}, {-2., false}}) {
    const auto trace = [&, turn = turn](double h, double u, double) {
      return RefractionModel::Arrival{air.shift(h, u), u + turn * (air.arriving(h, u) - u)};
    };
    if (fits)
      EXPECT_NO_THROW(RefractionModel::measured(0., kTop, trace));
    else
      EXPECT_THROW(RefractionModel::measured(0., kTop, trace), std::runtime_error);
  }
}

TEST(RefractionModel, NoHeightsAreRefusedAndLightMayGoStraight) {
  const auto straight = [](double, double u, double) { return RefractionModel::Arrival{0., u}; };
  for (const double low : {1e5, 2e5, std::nan("")})
    EXPECT_THROW(RefractionModel::measured(low, 1e5, straight), std::invalid_argument);
  const RefractionModel none = RefractionModel::measured(1.27e5, kTop, straight);
  EXPECT_EQ(none.low(), 1.27e5);
  EXPECT_EQ(none.high(), kTop);
  for (const double height : {1.27e5, 8e5, kTop}) EXPECT_EQ(none.between(1.27e5, height).k, 0.);
}

// Every ray that leaves between two heights, no flatter than the least w, arrives within the error of where
// choose() looks: also of directions shorter than 1, whose light is refracted by u and v alone. And slopes
// change no more than the tilt.
TEST(RefractionBound, HoldsForAllLightOfAStep) {
  Random random(61);
  const Atmosphere air(1.27e5);
  const RefractionModel model = air.measured();
  for (int round = 0; round < 2000 / kShare; ++round) {
    const double min_w = random.uniform(0.25, 1.), low = air.observed() + random.logarithmic(1e2, 5e6),
                 high = low + random.logarithmic(1e2, 5e5);
    const double short_of_unit = round % 3 == 0 ? 0. : random.logarithmic(1e-9, 1e-3);
    const double max_sin = std::min(1., std::sqrt(1. - min_w * min_w) + 1e-9);
    const cherenkov::RefractionBound bound{1. / min_w, max_sin / (min_w * min_w * min_w), short_of_unit};
    const cherenkov::ArrivalShift shift = bound.of(model.between(low, high));
    const double rounding = cherenkov::kChooseRounding_cm + cherenkov::kMaxStepRounding_cm;
    for (int ray = 0; ray < 20; ++ray) {
      const double height = random.uniform(low, high), w = random.uniform(min_w, 1.);
      // of a direction (u, 0, w) whose squared length is 1 - short_of_unit, or more
      const double u = std::sqrt(std::max(0., 1. - random.uniform(0., 1.) * short_of_unit - w * w));
      const double error = std::fabs(air.shift(height, u) + shift.refraction_k * u / (w * w * w));
      ASSERT_LE(error, shift.error - rounding + 1e-3) << "w " << w << " of " << min_w << " at " << height;
      const double arrived = air.arriving(height, u);
      ASSERT_LE(std::fabs(arrived / std::sqrt(1. - arrived * arrived) - u / w), bound.tilt());
    }
  }
}

}  // namespace
