// A CORSIKA with a stage, and a plain one beside it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cerenk_entry.hpp"
#include "plain_cerenk.hpp"
#include "played_corsika.hpp"

namespace cherenkov::test {

using cherenkov::corsika::ChargedStep;

inline constexpr std::int32_t kEndsRead = 0;  // of chrgeo_

class Entry : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    staged() = Package(1.27e5, 5);
    testch_.cyield = 400.;
    testch_.etadsn = 0.24;
    testch_.iatmox = 6;
    testch_.frefrx = 1;
    testlg_ = {};
  }
  void new_event() {
    shower = random_shower(random, 1.27e5, 0.9);
    shower.context.cut_w = 0.01;
    other = shower;
    for (Package* package : {&plain, &staged()})
      package->new_event(shower.telescopes, shower.zenith, shower.azimuth, 0., 0.);
    set_variables(other.surroundings());
  }
  ChargedStep charged_step() {
    return random_charged_step(random, shower, plain, testch_.cyield, testch_.cersiz);
  }
  // True where CORSIKA's own CERENK was not called. later: the step may be done later.
  bool run(const ChargedStep& one, bool later = false) {
    plain_cerenk_loop(one, shower.surroundings(), plain);
    return taken(one, later);
  }
  void expect_equal() {
    cherenkov_end_of_event();
    get_profile(other.profile.data());
    EXPECT_EQ(bits(plain.photons), bits(staged().photons));
    EXPECT_EQ(plain.bunches, staged().bunches);
    EXPECT_EQ(plain.drawn, staged().drawn);
    ASSERT_EQ(plain.hits.size(), staged().hits.size());
    EXPECT_TRUE(plain.hits.empty() ||
                std::memcmp(plain.hits.data(), staged().hits.data(), plain.hits.size() * sizeof(Hit)) == 0);
    EXPECT_EQ(shower.profile, other.profile);
  }

  // A step that the stage takes, of 20 bunches or so.
  ChargedStep good_step() {
    ChargedStep one{};
    one.length = 2e3;
    one.u = std::sin(0.2), one.w = std::cos(0.2);
    one.z_begin = 1e6;
    one.x_end = one.length * one.u, one.z_end = one.z_begin - one.length * one.w;
    one.end_time = one.length / 29979245800.;
    one.begin_energy = 10., one.end_energy = 9.99;
    one.mass = kElectron, one.charge = 1.;
    testch_.cersiz = testch_.cyield * one.length * 2. * Atmosphere::refractivity(1e6) / 19.5;
    return one;
  }
  // Of more than 100 bunches, near threshold: another of CERENK's loops.
  ChargedStep own_step() {
    ChargedStep one = good_step();
    one.begin_energy = 0.05, one.end_energy = 0.02;
    testch_.cersiz *= 0.02;
    return one;
  }
  bool taken(const ChargedStep& one, bool later = false) {
    const int before = own_calls;
    call_cerenk(one);
    if (!later) chrfls_();
    return own_calls == before;
  }
  // As CERENK of option CURVED does; returns what chrcrv_ gives in `done`.
  static int call_curved(ChargedStep one, double cos_earth) {
    std::int32_t done = 0;
    chrcrv_(&done, &one.length, &one.u, &one.v, &one.w, &one.begin_energy, &one.end_energy, &one.x_begin,
            &one.y_begin, &one.z_begin, &one.x_end, &one.y_end, &one.z_end, &one.begin_time, &one.end_time,
            &one.mass, &one.charge, &cos_earth);
    return done;
  }
  // Random steps in both, in so many events. bunch_size: where it is 0, each step has its own. after: called
  // behind each step with its number, and before the first one of an event with -1.
  void run_events(int events, int steps, bool later = true, double bunch_size = 20.,
                  const std::function<void(int)>& after = {}) {
    for (int event = 0; event < events; ++event) {
      new_event();
      for (int i = -1; i < steps; ++i) {
        if (i >= 0) {
          const ChargedStep one = charged_step();
          if (bunch_size != 0.) testch_.cersiz = bunch_size;
          run(one, later);
        }
        if (after) after(i);
      }
      expect_equal();
    }
  }

  // A program of its own, which reads the environment at its start: what it says on standard error, and its
  // status.
  using Environment = std::vector<std::pair<const char*, const char*>>;
  void expect_program(const Environment& environment, const std::string& says,
                      const std::function<void()>& work, int status = 0) {
    for (const auto& [name, value] : environment) setenv(name, value, 1);
    EXPECT_EXIT(
        {
          work();
          std::exit(HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(status), says);
    for (const auto& [name, value] : environment) unsetenv(name);
  }

  Random random{51};
  Package plain{1.27e5, 5};
  Shower shower, other;
};

}  // namespace cherenkov::test
