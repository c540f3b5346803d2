// A CORSIKA that does what the stage expects, and ones that do not: each difference is found and named, in
// steps that the stage does at once, and in recorded ones that it does later.
#include "corsika_runtime/cherenkov/light_check.hpp"

#include <gtest/gtest.h>

#include "plain_step.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::CheckDifference;
using corsika::kChunkSteps;
using corsika::LightCheck;
using corsika::ObservationContext;
using corsika::StepFate;

constexpr int kSteps = 12800 / kShare;

// Numbers that CORSIKA draws from another sequence.
std::uint64_t drawn_elsewhere = 0;
bool telout_draws = false;  // for hits

enum class Way {
  kAtOnce,   // each step by itself
  kSpots,    // so, and few of the bunches that the stage does not follow
  kBunches,  // the loop is CORSIKA's, and bunches are classified one by one
  kLater     // a chunk of recorded steps
};

class LightChecks : public testing::Test {
 protected:
  void make(Way its) {
    way = its;
    drawn_elsewhere = refracted = 0;
    emission.bunch_size = 20.;
    package = Package(1.27e5, 5);
    corsika::Routines routines = package.routines();
    routines.stored = [] { return static_cast<long>(Package::played()->hits.size()); };
    routines.drawn_in_all = [] { return Package::played()->drawn + drawn_elsewhere; };
    routines.collect = [](Hit& light) {
      Package& p = *Package::played();
      const std::size_t hits = p.hits.size();
      p.collect(light);
      if (telout_draws && p.hits.size() > hits) ++drawn_elsewhere;
      return p.answer;
    };
    check.reset();
    check = std::make_unique<LightCheck>(routines, way == Way::kSpots);
  }
  void steps(int n) {
    for (int i = 0; i < n; ++i) {
      const bool first_of_chunk = i % kChunkSteps == 0;
      if (i % 320 == 0) {
        shower = random_shower(random, 1.27e5, 0.9);
        shower.context.cut_w = emission.cut_w;
        package.new_event(shower.telescopes, shower.zenith, shower.azimuth, 0., 0.);
      }
      if (way != Way::kLater) {
        step(0);
      } else if (first_of_chunk) {
        for (int k = 0; k < kChunkSteps; ++k) step(k);
        emit(check->emitter(), kChunkSteps, check->on_copies(shower.surroundings()),
             [&](int left) { check->left_to_corsika(&recorded, left); });
        check->compare();
      }
    }
  }
  // The first difference within so many steps.
  std::string difference(int n = kSteps) {
    try {
      steps(n);
    } catch (const CheckDifference& e) {
      return e.what();
    }
    return "none";
  }

  // At the end of that step.
  void draw(std::uint64_t step, std::uint64_t hidden) {
    double number = 0.;
    if (check->counts().steps != step) return;
    package.draw(&number, 1);
    package.drawn -= hidden;
  }
  void add_to_hits(Hit& light, std::size_t argument) const {
    if (package.telescopes_hit(light[2], light[3], light[4], light[5]) > 0) light[argument] += 1e-3;
  }

  Way way = Way::kAtOnce;
  bool none_left = false;  // no step that the stage leaves to CORSIKA: differences show at the end of a chunk
  std::function<void(Hit&)> change;  // of what TELOUT is given
  std::function<void()> at_end;      // of a step in CORSIKA
  corsika::Emission emission{0.01, 400., 20., 0.24, true, index_of, density_of};
  Random random{83};
  Package package{1.27e5, 5};
  Shower shower;
  std::unique_ptr<LightCheck> check;
  std::uint64_t refracted = 0;  // bunches that CORSIKA had to refract
  std::vector<corsika::Bunch> ignored;

 private:
  // A step in CORSIKA; recorded as step i.
  void step(int i) {
    StepFate fate{way == Way::kBunches ? StepFate::kLeft : StepFate::kTaken, "", LightKind::kOther, {}};
    corsika::ChargedStep one{};
    double unused = 0.;
    do {
      one = random_charged_step(random, shower, package, emission.yield,
                                way == Way::kLater ? unused : emission.bunch_size);
      fate.light = light_of(one, emission, fate.step);
    } while (none_left && (fate.light != LightKind::kWhole || fate.step.bunches > 100));
    recorded.set(i, one);
    const ObservationContext context = shower.surroundings();
    if (way == Way::kLater)
      check->begin_step(fate, &recorded, i, context);
    else
      check->begin_at_once(fate, context, [&](corsika::Emitter& emitter, const ObservationContext& copy) {
        bool done = true;
        emit(emitter, 1, copy, [&](int) { done = false; });
        return done;
      });
    loop(plain_cerenk(one, emission), context);
    if (at_end) at_end();
    check->end_step();
  }
  void emit(corsika::Emitter& emitter, int count, const ObservationContext& context,
            const std::function<void(int)>& left) {
    emitter.emit(recorded, count, emission, context, left);
  }
  void loop(const PlainCerenk& plain, const ObservationContext& context) {
    if (plain.loop < 0) return;
    const Package::Watch watch{[this](const Hit& before) {
                                 refracted += check->refract({before[0], before[2], before[3], before[4],
                                                              before[5], before[8], before[7], before[6]})
                                                  ? 0
                                                  : 1;
                               },
                               {},
                               [&](Hit light) {
                                 if (change) change(light);
                                 check->collect(light);
                               }};
    package.watch = &watch;
    plain_step(plain.step, context, package, nullptr, plain.beta_n);
    package.watch = nullptr;
  }
  corsika::RecordedSteps recorded{};
};

TEST_F(LightChecks, EqualStepsAreCounted) {
  for (const Way its : {Way::kAtOnce, Way::kSpots, Way::kLater}) {
    make(its);
    ASSERT_EQ(difference(), "none");
    const corsika::CheckCounts& counts = check->counts();
    EXPECT_EQ(counts.steps, kSteps);
    EXPECT_EQ(counts.hits, package.hits.size());
    EXPECT_GT(counts.hits, 1000U / kShare);
    EXPECT_GE(counts.candidates, 1000U / kShare);
    EXPECT_GT(counts.bunches, 100000U / kShare);
    EXPECT_GT(counts.no_light, 40U / kShare);
    EXPECT_GT(counts.one_bunch, 100U / kShare);
    EXPECT_GT(counts.over_100, 100U / kShare);
    EXPECT_GT(counts.several_bins, 0U);
    EXPECT_GT(counts.own_loop, 0U);
    EXPECT_LT(counts.own_loop, 800U / kShare);
    EXPECT_GT(check->emitter().counts().each_bunch, 40U / kShare);
    if (its != Way::kSpots) {
      EXPECT_EQ(refracted, counts.bunches);
      continue;
    }
    // All bunches are counted, all that the stage follows are followed, and some of the others.
    EXPECT_GT(refracted, counts.candidates + counts.bunches / 20);
    EXPECT_LT(refracted, counts.bunches / 4);
  }
}

TEST_F(LightChecks, BunchByBunch) {
  make(Way::kBunches);
  EXPECT_EQ(difference(1000), "none");
  EXPECT_EQ(check->counts().own_loop, 1000U);
  EXPECT_GT(check->counts().skipped, 5000U);
}

// What CORSIKA does otherwise than the stage, and what the check says of it.
TEST_F(LightChecks, EachDifferenceIsFoundAndNamed) {
  const auto cut_footprints = [this] { package.footprints_cut = 300.; };
  const auto missed = "hits a telescope and is not followed by the stage: x: CORSIKA ";
  const struct {
    std::vector<Way> ways;
    std::function<void()> set;
    std::string said;
    bool none_left = false;
  } kCases[] = {
      {{Way::kAtOnce, Way::kSpots}, cut_footprints, missed},
      {{Way::kBunches}, cut_footprints, " of CORSIKA's own loop hits a telescope, and would be skipped: x: "},
      // behind the last one that is followed: none is
      {{Way::kLater}, [this] { check->emitter().keep_light(&ignored); }, missed, true},
      {{Way::kAtOnce, Way::kLater},
       [this] { change = [](Hit& light) { light[0] = std::nextafter(light[0], 2.); }; },
       "photons"},
      {{Way::kAtOnce, Way::kLater},
       [this] { change = [this](Hit& light) { add_to_hits(light, 6); }; },
       " hits a telescope, its time: CORSIKA "},
      {{Way::kLater}, [this] { change = [this](Hit& light) { add_to_hits(light, 7); }; }, missed},
      {{Way::kAtOnce, Way::kLater},
       [this] { change = [](Hit& light) { light[2] += 1e9; }; },
       "bunch that the stage follows, not CORSIKA: x: "},
      {{Way::kAtOnce, Way::kSpots},
       [this] { at_end = [this] { draw(1, 0); }; },
       "step 1: numbers drawn for light: CORSIKA "},
      {{Way::kLater},
       [this] { at_end = [this] { draw(64, 0); }; },
       "step 1 to 64: numbers drawn for light: CORSIKA ",
       true},
      // The counters are right, and the words are those of the next number.
      {{Way::kAtOnce},
       [this] { at_end = [this] { draw(1, 1); }; },
       "step 1: state of the generator's sequence at number: "},
      {{Way::kLater}, [this] { at_end = [this] { draw(1088, 1); }; }, "state of the generator's sequence"},
      {{Way::kAtOnce, Way::kLater},
       [this] { at_end = [] { ++drawn_elsewhere; }; },
       "step 1: numbers drawn from all sequences: CORSIKA "},
      // The stage's TELOUT draws them, too; later than CORSIKA's, where steps are done later.
      {{Way::kAtOnce, Way::kSpots, Way::kBunches}, [] { telout_draws = true; }, "none"},
      {{Way::kLater}, [] { telout_draws = true; }, ": numbers drawn from all sequences: CORSIKA "},
      {{Way::kAtOnce, Way::kSpots},
       [this] { at_end = [this] { shower.profile[3] += 1e-3; }; },
       "step 1: bin 3 of the longitudinal distribution of light: "},
      {{Way::kLater},
       [this] { at_end = [this] { shower.profile[3] += check->counts().steps == 64 ? 1e-3 : 0.; }; },
       "bin 3 of the longitudinal distribution of light: ",
       true},
      {{Way::kAtOnce, Way::kSpots},
       [this] { at_end = [this] { package.bunches += 1.; }; },
       "step 1: bunches of the event: CORSIKA "},
      {{Way::kAtOnce, Way::kSpots, Way::kBunches, Way::kLater},
       [this] { package.answer = 2; },
       ": answer of TELOUT: CORSIKA 2 "},
  };
  for (const auto& one : kCases)
    for (const Way its : one.ways) {
      change = {}, at_end = {}, telout_draws = false;
      make(its);
      none_left = one.none_left;
      one.set();
      const std::string found = difference();
      EXPECT_NE(found.find(one.said), std::string::npos) << static_cast<int>(its) << ": " << found;
    }
}

}  // namespace
