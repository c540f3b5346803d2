// Every instruction set that was compiled and that this machine can run, one test for each.
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <ostream>
#include <string>
#include <vector>

#include "random_step.hpp"

namespace cherenkov::test {

struct Target {
  std::string name;
  std::int64_t bit;
};
inline void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

inline std::vector<Target> targets_here() {
  hwy::SetSupportedTargetsForTest(0);
  const std::int64_t here = hwy::SupportedTargets() & HWY_TARGETS;
  std::vector<Target> targets;
  for (std::int64_t bit = 1; bit > 0 && bit <= here; bit <<= 1)
    if ((here & bit) != 0) targets.push_back({hwy::TargetName(bit), bit});
  return targets;
}

// 0: the best one
inline void use(std::int64_t bit) {
  hwy::SetSupportedTargetsForTest(bit);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

class OneTarget : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override { use(GetParam().bit); }
  void TearDown() override { use(0); }
};

inline std::string target_name(const testing::TestParamInfo<Target>& info) { return info.param.name; }

// A step and its bunches, as they are given to choose().

inline constexpr int kPaddedBunches = 112;  // whole vectors are read and written

struct PaddedYields {
  double cos_theta[kPaddedBunches] = {}, sin2_theta[kPaddedBunches] = {}, photons[kPaddedBunches] = {};
  operator BunchYields() { return {cos_theta, sin2_theta, photons}; }
};

// A step and the light of up to 100 of its bunches, one after the other: arguments of choose().
struct Bundle {
  Step step;
  std::vector<Step::Point> at;
  alignas(64) double path[kPaddedBunches] = {};
  alignas(64) double azimuth[kPaddedBunches] = {};
  PaddedYields light;
};

inline void set_up(Random& random, const Step& step, int first, int n, Bundle& b) {
  b.step = step;
  b.at.clear();
  Step::Point at = step.before;
  for (int i = 0; i < first; ++i) at = next_point(at, step.between);
  for (int i = 0; i < kPaddedBunches; ++i) {
    if (i < n) {
      at = next_point(at, step.between);
      b.at.push_back(at);
    }
    b.path[i] = at.path;
  }
  // Stale azimuths stand behind the last.
  for (double& azimuth : b.azimuth) azimuth = random.turn();
  b.azimuth[0] = 0.;
  if (n > 4) b.azimuth[1] = 0.25, b.azimuth[2] = 0.5, b.azimuth[3] = 0.75, b.azimuth[4] = 1. - 0x1p-48;
  for (int i = 0; i < kPaddedBunches; ++i) {
    const PlainLight light = plain_light(step, b.path[i]);
    b.light.cos_theta[i] = light.cosine;
    b.light.sin2_theta[i] = light.sine2;
    b.light.photons[i] = light.photons;
  }
}

inline Plane random_plane(Random& random, double height) {
  const double turn = random.uniform(-3.2, 3.2);
  return {height,         random.uniform(-1e4, 1e4), random.uniform(-1e4, 1e4), std::cos(turn),
          std::sin(turn), random.uniform(-3e4, 3e4), random.uniform(-3e4, 3e4)};
}

// A direction; half of the time the mean of two near ones, which is shorter than 1.
inline Direction any_direction(Random& random, double max_zenith) {
  const Direction one = direction(random.uniform(0., max_zenith), random.radians());
  if (random.turn() < 0.5) return one;
  Direction other = direction(random.uniform(0., max_zenith), random.radians());
  const double part = 0.2 * random.turn();
  other = {one.u + part * (other.u - one.u), one.v + part * (other.v - one.v),
           one.w + part * (other.w - one.w)};
  const double length = std::sqrt(other.u * other.u + other.v * other.v + other.w * other.w);
  return mean(one, {other.u / length, other.v / length, other.w / length});
}

}  // namespace cherenkov::test
