// Recorded steps of the curved geometry: the same loops as those of one step after the other.

#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::ChargedStep;
using corsika::CurvedFrame;
using corsika::kChunkSteps;
using corsika::RecordedSteps;

// ELECTR's statements, one by one. VSTEP is in x_end.
double plain_end(ChargedStep& c) {
  const double vstep = c.x_end;
  const double trans2 = vstep * vstep * (c.u * c.u + c.v * c.v);
  const double height = kEarth_cm + c.z_end;
  double auxil = std::sqrt(trans2 + height * height);
  const double sindif = std::sqrt(trans2) / auxil;
  double corr = 1.;
  if (sindif > 0.) corr = kEarth_cm * std::asin(sindif) / (auxil * sindif);
  c.x_end = c.x_begin + c.u * vstep * corr;
  c.y_end = c.y_begin + c.v * vstep * corr;
  auxil = std::sqrt(c.x_begin * c.x_begin + c.y_begin * c.y_begin);
  return std::cos(auxil / kEarth_cm);
}

class CurvedStepTest : public testing::Test {
 protected:
  // A step down to 85 degrees, far from the detector or near; its end is not known but for the length.
  ChargedStep without_end() {
    const double zenith = random.turn() < 0.05 ? 0. : random.uniform(0., 1.48);
    const double azimuth = random.turn() * 6.28, length = random.logarithmic(1., 1e5);
    ChargedStep c{};
    c.length = length * 1.001;
    c.u = std::sin(zenith) * std::cos(azimuth);
    c.v = std::sin(zenith) * std::sin(azimuth);
    c.w = std::cos(zenith);
    c.z_begin = random.uniform(1.3e5, 3e6);
    c.z_end = c.z_begin - length * c.w;
    const double away = random.turn() < 0.05 ? 0. : random.logarithmic(1., 1e7);
    c.x_begin = away * std::cos(azimuth + 3.);
    c.y_begin = away * std::sin(azimuth + 3.);
    c.x_end = length;
    c.end_time = length / 2.99792458e10;
    c.mass = 5.11e-4;
    c.begin_energy = random.logarithmic(0.01, 10.);  // some are below threshold
    c.end_energy = c.begin_energy - 2e-6 * random.uniform(0., 100.);
    c.charge = random.turn() < 0.02 ? 3e4 : -1.;  // some have more bunches than an int holds
    return c;
  }

  Random random{73};
};

TEST_F(CurvedStepTest, AnElectronsEndIsThatOfElectr) {
  for (int i = 0; i < 20000; ++i) {
    ChargedStep found = without_end(), plain = found;
    const double cosine = corsika::find_end(found, kEarth_cm);
    ASSERT_EQ(cosine, plain_end(plain));
    ASSERT_EQ(found.x_end, plain.x_end);
    ASSERT_EQ(found.y_end, plain.y_end);
  }
}

TEST_F(CurvedStepTest, RecordedStepsHaveTheLoopsOfOneStepAfterTheOther) {
  RecordedSteps steps{};
  CurvedLoop loops[kChunkSteps] = {};
  corsika::LastIndex last, last_of_recorded;
  int kinds[3] = {0, 0, 0};
  for (const auto& emission : {curved_emission(), curved_air_emission()}) {
    for (int chunk = 0; chunk < 300; ++chunk) {
      const int count = 1 + static_cast<int>(random.turn() * kChunkSteps);
      for (int i = 0; i < count; ++i) {
        ChargedStep c = without_end();
        double cos_earth = corsika::kWithoutEnd;
        if (random.turn() < 0.3) {  // the end is given
          const double given = plain_end(c);
          cos_earth = random.turn() < 0.5 ? corsika::kInDetectorFrame : std::min(1., given + 1e-9);
        }
        steps.set(i, c);
        steps.cos_earth[i] = cos_earth;
      }
      corsika::curved_loops_of(steps, count, {kEarth_cm, 1.27e5, 0., false}, emission, last_of_recorded,
                               loops);
      for (int i = 0; i < count; ++i) {
        ChargedStep c = steps.step(i);
        double cos_earth = steps.cos_earth[i];
        if (cos_earth == corsika::kWithoutEnd) cos_earth = plain_end(c);
        const CurvedFrame frame{kEarth_cm, 1.27e5, cos_earth, cos_earth == corsika::kInDetectorFrame};
        CurvedLoop loop = loops[i];  // with its padding
        const LightKind kind = corsika::curved_loop_of(c, frame, emission, last, loop);
        ++kinds[static_cast<int>(kind)];
        if (kind == LightKind::kWhole)
          ASSERT_EQ(std::memcmp(&loop, &loops[i], sizeof(loop)), 0) << "chunk " << chunk << ", step " << i;
        else
          ASSERT_EQ(loops[i].step.bunches, kind == LightKind::kNone ? 0 : -1);
      }
    }
  }
  EXPECT_GT(kinds[static_cast<int>(LightKind::kNone)], 500);
  EXPECT_GT(kinds[static_cast<int>(LightKind::kWhole)], 5000);
  EXPECT_GT(kinds[static_cast<int>(LightKind::kOther)], 50);
}

// Bounds of the shift by refraction in the curved geometry, against the table's own interpolation.

using corsika::CurvedArrival;

// Empty where the table does not say.
std::optional<CurvedArrival::Shift> shift_of(const CurvedArrival& arrival, double low_w, double high_w,
                                             double low, double high) {
  CurvedArrival::Shift found{};
  return arrival.view().shift(low_w, high_w, low, high, found) ? std::optional(found) : std::nullopt;
}

TEST(CurvedArrival, BoundsHoldAllLightBetween) {
  const auto arrival = CurvedArrival::measured(RayTable::kPlane_cm, RayTable::distance);
  EXPECT_EQ(arrival.plane_height(), RayTable::kPlane_cm);
  Random random(7);
  int known = 0;
  double widest = 0.;
  for (int i = 0; i < 3000; ++i) {
    const double angle = random.uniform(0., 1.53), spread = random.logarithmic(1e-4, 0.026);
    const double low = RayTable::kPlane_cm + random.logarithmic(10., 1.0e7);
    const double high = low + random.logarithmic(1., 2e5);
    const auto shift =
        shift_of(arrival, std::cos(angle + spread), std::cos(std::max(0., angle - spread)), low, high);
    if (!shift) continue;
    ++known;
    widest = std::max(widest, shift->high - shift->low);
    for (int k = 0; k < 20; ++k) {
      const double own = std::max(0., angle + random.uniform(-1., 1.) * spread);
      double height = random.uniform(low, high), w = std::cos(own);
      const double found =
          RayTable::distance(&w, &height) - (height - RayTable::kPlane_cm) * std::tan(std::acos(w));
      EXPECT_GE(found, shift->low - 0.5) << angle << " " << height;
      EXPECT_LE(found, shift->high + 0.5) << angle << " " << height;
    }
  }
  EXPECT_GT(known, 2500);
  EXPECT_GT(widest, 100.) << "steep light has large shifts";
}

TEST(CurvedArrival, SaysWhereItDoesNotKnow) {
  const auto arrival = CurvedArrival::measured(RayTable::kPlane_cm, RayTable::distance);
  const double above = RayTable::kPlane_cm + 1e6;
  EXPECT_TRUE(shift_of(arrival, 0.5, 0.52, above, above + 1e5));
  EXPECT_FALSE(shift_of(arrival, 0.03, 0.05, above, above));  // beyond 88 degrees
  EXPECT_FALSE(shift_of(arrival, 0.5, 0.7, above, above));    // more than 3 degrees
  EXPECT_FALSE(shift_of(arrival, 0.5, 0.52, 1e5, above));     // below the plane
  EXPECT_FALSE(shift_of(arrival, 0.5, 0.52, above, 1.13e7));  // above the table
  EXPECT_FALSE(shift_of(arrival, 0.52, 0.5, above, above));   // no range
  EXPECT_FALSE(shift_of(arrival, std::nan(""), 0.5, above, above));
}

TEST(CurvedArrival, RefusesAnotherRule) {
  const auto smooth = [](double* w, double* height) {
    return (*height - RayTable::kPlane_cm) * std::sqrt(1. - *w * *w) / *w;
  };
  EXPECT_THROW(CurvedArrival::measured(RayTable::kPlane_cm, smooth), std::runtime_error);
  EXPECT_THROW(CurvedArrival::measured(2e7, RayTable::distance), std::runtime_error);
}

}  // namespace
