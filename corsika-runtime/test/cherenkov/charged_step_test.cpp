
#include <gtest/gtest.h>

#include "plain_step.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using cherenkov::corsika::ChargedStep;
using cherenkov::corsika::Emission;
using cherenkov::corsika::light_of;

// Where CERENK returns there is no light. What CORSIKA's integers do not hold, what is not a number, and a
// vertical particle are CORSIKA's.
TEST(ChargedSteps, WithoutLightAndCorsikas) {
  const Emission given{0.1, 400., 5., 0.24, true, index_of, density_of};
  Emission emission = given;
  const struct {
    const char* what;
    LightKind light;
    std::function<void(ChargedStep&)> change;
  } kCases[] = {{"as it is", LightKind::kWhole, [](ChargedStep&) {}},
                {"flat", LightKind::kNone, [](ChargedStep& s) { s.w = 0.0999; }},
                {"no length", LightKind::kNone, [](ChargedStep& s) { s.length = 0.; }},
                {"slow", LightKind::kNone, [](ChargedStep& s) { s.begin_energy = s.end_energy = 0.002; }},
                {"too many bunches", LightKind::kOther, [&](ChargedStep&) { emission.bunch_size = 1e-300; }},
                {"below its mass", LightKind::kOther, [](ChargedStep& s) { s.begin_energy = 1e-4; }},
                {"vertical", LightKind::kOther, [](ChargedStep& s) { s.u = 1e-6, s.v = 0., s.w = 1.; }},
                {"no energy", LightKind::kOther, [](ChargedStep& s) { s.begin_energy = NAN; }}};
  for (const auto& one : kCases) {
    emission = given;
    ChargedStep changed = electron_step(2e3, 10., 10.);
    one.change(changed);
    Step step{};
    EXPECT_EQ(light_of(changed, emission, step), one.light) << one.what;
  }
}

}  // namespace
