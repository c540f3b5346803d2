// What is read out of an IACT package, by one with variables of these names.
#include <gtest/gtest.h>

#include <vector>

namespace {

struct Detector {
  double x, y, r;
  double x0, y0, z0, r0;
  int geo_type;
};

constexpr int narray = 2;
const int ndet[narray] = {2, 1};
Detector first[] = {{100., 200., 30., 110., 210., 40., 25., 3}, {-5., 6., 7., 1., 2., 3., 4., 1}};
Detector second[] = {{1e4, -1e4, 50., 1e4, -1e4, -300., -20., 3}};
Detector* detector[narray] = {first, second};
const double impact_offset[2] = {12., -34.};
double all_photons = 5., all_bunches = 6.;
long stored_bunches = 7;
using cors_real_t = float;

#include "cherenkov_iact_names.h"
// The package's own.
int asked = 0, recorded = 0, ended = 0, looked_at_end = 0;
int telout_(double*, double*, double*, double*, double*, double*, double*, double*, double*) {
  return ++recorded;
}
void telend_(cors_real_t*) { ++ended; }

#include "cherenkov_iact.h"

int cherenkov_looks_at_bunches = 0;
int cherenkov_telout(double*, double*, double*, double*, double*, double*, double*, double*, double*) {
  return 100 + ++asked;
}
void cherenkov_end_of_event() { looked_at_end = 1 + ended; }

struct Iact : testing::Test {
  std::vector<double> footprints = std::vector<double>(9, -1.), spheres = std::vector<double>(12, -1.);
  double impact[2] = {0., 0.};
};

TEST_F(Iact, AllTelescopesOfAllCopies) {
  ASSERT_EQ(cherenkov_iact_telescopes(footprints.data(), spheres.data(), impact, 3), 3);
  EXPECT_EQ(footprints, (std::vector<double>{100., 200., 30., -5., 6., 7., 1e4, -1e4, 50.}));
  // One that is no sphere is hit wherever light arrives in its footprint: corners, too. The package squares
  // radii, so their sign is none of ours.
  EXPECT_EQ(spheres,
            (std::vector<double>{110., 210., 40., 25., -5., 6., 0., 1.4142136 * 7., 1e4, -1e4, -300., 20.}));
  EXPECT_GT(spheres[7] * spheres[7], 2. * 7. * 7.);
  EXPECT_EQ(impact[0], 12.);
  EXPECT_EQ(impact[1], -34.);
}

TEST_F(Iact, NoMoreThanThereIsRoomFor) {
  EXPECT_EQ(cherenkov_iact_telescopes(footprints.data(), spheres.data(), impact, 1), 3);
  EXPECT_TRUE(footprints[2] == 30. && footprints[3] == -1.);
  EXPECT_TRUE(spheres[3] == 25. && spheres[4] == -1.);
}

// Bunches come to the stage while it looks at them, else to the package; and the event ends in the package
// after what the stage does.
TEST_F(Iact, TeloutAndTelend) {
  double *photons = nullptr, *bunches = nullptr;
  cherenkov_iact_counters(&photons, &bunches);
  EXPECT_TRUE(photons == &all_photons && bunches == &all_bunches);
  double x = 0.;
  EXPECT_EQ(telout_(&x, &x, &x, &x, &x, &x, &x, &x, &x), 1);
  cherenkov_looks_at_bunches = 1;
  EXPECT_EQ(telout_(&x, &x, &x, &x, &x, &x, &x, &x, &x), 101);
  EXPECT_EQ(recorded, 1);
  telend_(nullptr);
  EXPECT_EQ(looked_at_end, 1);
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(cherenkov_iact_stored(), 7);
}

}  // namespace
