// CORSIKA's steps at once, the stage's later: equal, and ones that are not: each difference is found and
// named.
#include "corsika_runtime/cherenkov/recorded_check.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "plain_cerenk.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::CheckDifference;
using corsika::kChunkSteps;
using corsika::RecordedCheck;

class RecordedChecks : public testing::Test {
 protected:
  using Change = std::function<void(Hit&)>;
  RecordedChecks() {
    const corsika::CheckedRoutines routines{package.routines(),
                                            [] { return static_cast<long>(Package::played()->hits.size()); },
                                            [] { return Package::played()->drawn; }};
    check = std::make_unique<RecordedCheck>(routines);
    stage = std::make_unique<corsika::Stage>(package.routines(), check->target());
  }
  // A chunk of steps in CORSIKA, in which `change` may change what TELOUT is given; then in the stage.
  void chunk(const Change& change) {
    for (int i = 0; i < kChunkSteps; ++i) {
      Step step{};
      corsika::ChargedStep one{};
      LightKind light{};
      do {
        one = random_charged_step(random, shower, package, emission.yield, bunch_size);
        light = bunches_of(one, emission, step);
      } while (none_left && (light != LightKind::kLinear || step.bunches > 100));
      steps.set(i, one);
      check->begin_step(RecordedCheck::Handling::kRecorded, &steps, i, light, step, surroundings());
      const PlainCerenk plain = plain_cerenk(one, emission);
      if (plain.loop >= 0) loop(plain, change);
      if (at_end) at_end();
      check->end_step();
    }
    finder.find(steps, kChunkSteps, emission, indices);
    const corsika::ObservationContext copy = check->on_copies(surroundings());
    stage->emit(steps, indices, kChunkSteps, emission, copy, [&](int i) {
      check->left_to_corsika(
          steps, i, [&](const corsika::Bunch& bunch) { return stage->can_skip(bunch, copy.plane.height); });
    });
    check->compare();
  }
  // The first difference within some events.
  std::string difference(const Change& change = {}, const std::function<void()>& before_compare = {}) {
    try {
      for (int event = 0; event < 20; ++event) {
        shower = random_shower(random, 1.27e5, 0.9);
        shower.context.cut_w = emission.cut_w;
        package.new_event(shower.telescopes, shower.zenith, shower.azimuth, 0., 0.);
        for (int i = 0; i < 5; ++i) {
          at_end = before_compare;
          chunk(change);
        }
      }
    } catch (const CheckDifference& e) {
      return e.what();
    }
    return "none";
  }

  Change changed_hits(std::size_t argument) {
    return [this, argument](Hit& light) {
      if (package.telescopes_hit(light[2], light[3], light[4], light[5]) > 0) light[argument] += 1e-3;
    };
  }
  // At the end of that step.
  std::function<void()> draws(std::uint64_t step, std::uint64_t hidden) {
    return [this, step, hidden] {
      double number = 0.;
      if (check->counts().steps != step) return;
      package.draw(&number, 1);
      package.drawn -= hidden;
    };
  }

  corsika::Emission emission{0.01, 400., 20., 0.24, true, index_of, density_of};
  double bunch_size = 0.;
  bool none_left = false;  // no step that the stage leaves to CORSIKA: differences show at the end of a chunk
  Random random{83};
  Package package{1.27e5, 5};
  Shower shower;
  std::unique_ptr<RecordedCheck> check;
  std::unique_ptr<corsika::Stage> stage;
  std::function<void()> at_end;

 private:
  corsika::ObservationContext surroundings() { return shower.surroundings(); }
  void loop(const PlainCerenk& plain, const Change& change) {
    const Package::Watch watch{[this](const Hit& before) {
                                 check->refract({before[0], before[2], before[3], before[4], before[5],
                                                 before[8], before[7], before[6]});
                               },
                               {},
                               [&](Hit light) {
                                 if (change) change(light);
                                 check->collect(&light[0], &light[1], &light[2], &light[3], &light[4],
                                                &light[5], &light[6], &light[7], &light[8]);
                               }};
    package.watch = &watch;
    plain_step(plain.step, surroundings(), package, nullptr, plain.beta_n);
    package.watch = nullptr;
  }
  alignas(64) corsika::RecordedSteps steps{};
  corsika::IndexFinder finder;
  corsika::StepIndices indices{};
};

TEST_F(RecordedChecks, EqualStepsAreCounted) {
  ASSERT_EQ(difference(), "none");
  const corsika::CheckCounts& counts = check->counts();
  EXPECT_EQ(counts.steps, 6400U);
  EXPECT_EQ(counts.hits, package.hits.size());
  EXPECT_GT(counts.hits, 500U);
  EXPECT_GE(counts.candidates, 500U);
  EXPECT_GT(counts.bunches, 50000U);
  EXPECT_GT(counts.no_light, 20U);
  EXPECT_GT(counts.one_bunch, 50U);
  EXPECT_GT(counts.several_bins, 0U);
  EXPECT_GT(counts.own_loop, 0U);
}

TEST_F(RecordedChecks, HitsAtAnotherTime) {
  EXPECT_NE(difference(changed_hits(6)).find("a bunch hits a telescope, its time: CORSIKA "),
            std::string::npos);
}

TEST_F(RecordedChecks, HitsFromAnotherHeight) {
  EXPECT_NE(difference(changed_hits(7)).find("a bunch hits a telescope and is not followed"),
            std::string::npos);
}

TEST_F(RecordedChecks, HitsBehindTheLastOneThatIsFollowed) {
  none_left = true;
  package.spheres_cut = 1e9;
  EXPECT_NE(difference().find("a bunch hits a telescope and is not followed by the stage"),
            std::string::npos);
}

TEST_F(RecordedChecks, ABunchThatCorsikaDoesNotHaveSo) {
  EXPECT_NE(difference([](Hit& light) { light[2] += 1e-9 * light[2]; }).find("step "), std::string::npos);
}

TEST_F(RecordedChecks, AnotherBinOfTheDistribution) {
  none_left = true;
  const auto change = [this] { shower.profile[3] += check->counts().steps == 64 ? 1e-3 : 0.; };
  EXPECT_NE(difference({}, change).find("bin 3 of the longitudinal"), std::string::npos);
}

TEST_F(RecordedChecks, AnotherNumberOfNumbers) {
  EXPECT_NE(difference({}, draws(64, 0)).find("numbers drawn for light: CORSIKA "), std::string::npos);
}

// As many numbers, but of another state.
TEST_F(RecordedChecks, AnotherStateOfTheSequence) {
  EXPECT_NE(difference({}, draws(1024, 1)).find("state of the generator's sequence"), std::string::npos);
}

}  // namespace
