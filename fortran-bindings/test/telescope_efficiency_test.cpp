// CESPEC and TELEFF of telescope_efficiency.inc against a plain loop: photons, wavelengths, numbers drawn.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "cerenk_entry.hpp"
#include "routines.hpp"

extern "C" {
// The blocks of the test's corsika.h.
struct CerabsBlock {
  double quaeff[201], mirref[201];
  std::int32_t cerqef, cermir;
};
struct Ceren1Block {
  double wavlgl, cernor, wlmin;
};
struct LogLines {
  std::int32_t debug, lcerdb, fegsdb;
};
extern LogLines testlg_;
extern CerabsBlock testab_;
extern Ceren1Block testwl_;
extern double testw2_, testrd_[3000];
void cespec_(double* wavelength);
void teleff_(std::int32_t* absorbed);

// In the place of CORSIKA's own.
void chrces_(double* wavelength) {
  const int one = 1, sequence = 3;
  rmmard_(testrd_, &one, &sequence);
  *wavelength = testwl_.cernor * testwl_.wavlgl / (testwl_.cernor - testrd_[0] * testwl_.wavlgl);
}
void chrtel_(std::int32_t* absorbed) {
  const int index = 1 + static_cast<int>((testw2_ - testwl_.wlmin) / 5.);
  const int first = index * 5 + static_cast<int>(testwl_.wlmin) - 5;
  const auto linear = [&](const double* table) {
    return table[index - 1] + (table[index] - table[index - 1]) * (testw2_ - first) / 5;
  };
  const double mirror = testab_.cermir != 0 ? linear(testab_.mirref) : 1.;
  const double quantum = testab_.cerqef != 0 ? linear(testab_.quaeff) : 1.;
  const int one = 1, sequence = 3;
  rmmard_(testrd_, &one, &sequence);
  *absorbed = testrd_[0] <= mirror * quantum ? 0 : 1;
}
}

class TelescopeEfficiency : public testing::Test {
 protected:
  // A photon that is detected: of which step, and its wavelength's bits.
  struct Photon {
    int step, number;
    std::uint64_t wavelength;
    friend bool operator==(const Photon&, const Photon&) = default;
  };

  struct Outcome {
    std::vector<Photon> photons;
    std::array<int, 3> counters;
    double last;  // RD(1)
  };

  bool active = true;
  void SetUp() override {
    for (int k = 0; k < 201; ++k) {
      const double x = (k - 40.) / 25.;
      testab_.mirref[k] = 0.8 + 0.1 * std::sin(0.7 * k);
      testab_.quaeff[k] = 0.25 * std::exp(-x * x);
    }
    testab_.cerqef = testab_.cermir = 1;
    testwl_ = {250., 1. / (1. / 250. - 1. / 700.), 180.};
    chrefc_ = {};
  }
  // Steps as CERENK does them, which draws numbers of other uses between photons.
  template <class Cespec, class Teleff>
  Outcome run(Cespec&& cespec, Teleff&& teleff) const {
    int sequence = 3;
    rmmaqd({4711, 0, 0}, sequence, kSeed);
    std::mt19937 random{99};
    Outcome out;
    std::vector<double> others(200);
    for (int step = 0; step < 4000; ++step) {
      begin_photons(active);
      const int photons = static_cast<int>(1 + random() % 60);
      rmmard_(others.data(), &photons, &sequence);
      for (int i = 0; i < photons; ++i) {
        cespec(&testw2_);
        std::int32_t absorbed = 7;
        teleff(&absorbed);
        if (absorbed != 0) continue;
        out.photons.push_back({step, i, std::bit_cast<std::uint64_t>(testw2_)});
        const int one = 1;
        if (random() % 4 != 0) rmmard_(others.data(), &one, &sequence);
      }
    }
    out.last = testrd_[0];
    out.counters = rmmaqd({0, 0, 0}, sequence, kRead);
    return out;
  }
  std::size_t expect_equal() const {
    const auto plain = run(chrces_, chrtel_);
    const auto found = run(cespec_, teleff_);
    EXPECT_EQ(found.photons, plain.photons);
    EXPECT_EQ(found.counters, plain.counters);
    EXPECT_EQ(found.last, plain.last);
    return plain.photons.size();
  }
};

TEST_F(TelescopeEfficiency, PhotonsAndDrawsOfAPlainLoop) {
  EXPECT_GT(expect_equal(), 2000U);
  testab_.cermir = 0;
  chrefc_.known = 0;
  EXPECT_GT(expect_equal(), 2000U);
  testab_.cermir = 1, testab_.cerqef = 0;
  chrefc_.known = 0;
  EXPECT_GT(expect_equal(), 20000U);
  testab_.cerqef = 1;
  testwl_.wlmin = 200.5;  // no whole number
  chrefc_.known = 0;
  EXPECT_GT(expect_equal(), 2000U);
}

TEST_F(TelescopeEfficiency, WithoutMirrorAndPhotocathodeNoPhotonIsLost) {
  testab_.cerqef = testab_.cermir = 0;
  const auto kept = [](std::int32_t* absorbed) { *absorbed = 0; };  // CERENK does not call TELEFF
  const auto plain = run(chrces_, kept), found = run(cespec_, kept);
  EXPECT_EQ(found.photons, plain.photons);
  EXPECT_EQ(found.counters, plain.counters);
}

// Where the stage is off, or lines of the log are asked for.
TEST_F(TelescopeEfficiency, CorsikasOwnRoutines) {
  active = false;
  expect_equal();
  EXPECT_EQ(chrefc_.known, 0);
  active = true;
  for (std::int32_t* wanted : {&testlg_.debug, &testlg_.lcerdb}) {
    *wanted = 1;
    expect_equal();
    *wanted = 0;
    EXPECT_EQ(chrefc_.known, 0);
  }
  // Also after the bounds were made.
  expect_equal();
  testlg_.lcerdb = 1;
  chrefc_.bounds.fill({2., 3.});  // they would keep each photon
  expect_equal();
  testlg_.lcerdb = 0;
}
