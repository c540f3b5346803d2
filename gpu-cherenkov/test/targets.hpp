// Every instruction set that was compiled and that this machine can run, one test for each.
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

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

}  // namespace cherenkov::test
