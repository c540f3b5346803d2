// One run twice: as CORSIKA does it, and with the stage, where CORSIKA does what the stage leaves to it.
#pragma once

#include <gtest/gtest.h>

#include <tuple>

#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "plain_step.hpp"
#include "played_curved.hpp"

namespace cherenkov::test {

inline constexpr double kObserved = 1.27e5;  // height of the detection plane, cm

class TwoRuns : public testing::Test {
 protected:
  explicit TwoRuns(std::uint64_t seed) : TwoRuns(seed, own_) {}
  TwoRuns(std::uint64_t seed, Package& with_stage) : random(seed), staged(with_stage) {}

  void new_event(double max_zenith, bool fill_profile, double x_impact, double y_impact) {
    shower = random_shower(random, kObserved, max_zenith);
    shower.context.fill_profile = fill_profile;
    staged_shower = shower;
    show_telescopes(x_impact, y_impact);
  }
  // Of this event: light is not refracted.
  void go_straight() {
    shower.context.straight = {0., 0., 0., 2.9e-4 / 1.205e-3, 880., 29979245800., [](double* height) {
                                 return 1030. * std::exp(-*height / 8.4e5);
                               }};
    staged_shower.context.straight = shower.context.straight;
  }
  static void set_straight(const Step& step, corsika::ObservationContext& context) {
    if (!context.straight) return;
    context.straight->begin = step.before.z + 0.5 * step.between.z;
    context.straight->end = context.straight->begin + step.bunches * step.between.z;
    context.straight->length = step.bunches * step.between.path;
  }
  void show_telescopes(double x_impact = 0., double y_impact = 0.) {
    for (Package* package : {&plain, &staged})
      package->new_event(shower.telescopes, shower.zenith, shower.azimuth, x_impact, y_impact);
  }
  Step particle() { return random_particle(random, shower, plain); }

  // Does one step in both runs: corsika(context, package) as CORSIKA does, and emit(context) as the stage
  // does, if it can: whether it did.
  template <class Corsika, class Emit>
  bool run_both(const Step& step, const Corsika& corsika, const Emit& emit) {
    corsika::ObservationContext context = shower.surroundings(), staged_around = staged_shower.surroundings();
    set_straight(step, context);
    set_straight(step, staged_around);
    corsika(context, plain);
    const bool taken = emit(staged_around);
    if (!taken) corsika(staged_around, staged);
    return taken;
  }
  // ask: whether the stage is given the step. each: whether CORSIKA's own loop, for a step that the stage did
  // not do, asks the stage about each bunch.
  bool run(corsika::Emitter& emitter, const Step& step, bool ask, bool each) {
    // can_skip() stands where CERENK calls RAYBND. Light that goes straight does not pass there.
    const auto corsika = [&](const corsika::ObservationContext& context, Package& package) {
      const bool asks = each && !context.straight && &package == &staged;
      plain_step(step, context, package, asks ? &emitter : nullptr);
    };
    return run_both(step, corsika, [&](const corsika::ObservationContext& context) {
      if (ask) return emitter.emit(step, context);
      emitter.left_to_corsika();
      return false;
    });
  }
  // At which an electron emits light at a height; GeV.
  static double threshold(double height) {
    return 5.11e-4 / std::sqrt(1. - 1. / std::pow(index_of(&height), 2));
  }
  // Of an electron in the step: its energy at the begin, and the change per cm. Some are below threshold, in
  // part or in all: `near` of all are from `lowest` times that up.
  std::pair<double, double> random_energy(const Step& step, double near, double lowest) {
    const double energy = threshold(step.before.z) * (random.turn() < near ? random.uniform(lowest, 1.05)
                                                                           : random.logarithmic(1.02, 1e3));
    return {energy, -random.logarithmic(1e-9, 0.01) * energy / (step.bunches * step.between.path)};
  }

  // Some events, each begun by begin(event), of so many steps; each(event, i) does step i in both runs, and
  // says whether the stage did it. Returns how many it did.
  int run_events(int events, int steps, const std::function<void(int)>& begin,
                 const std::function<bool(int, int)>& each) {
    int taken = 0;
    for (int event = 0; event < events && !HasFatalFailure(); ++event) {
      begin(event);
      for (int i = 0; i < steps && !HasFatalFailure(); ++i) {
        taken += each(event, i) ? 1 : 0;
        if (i % 50 == 0) expect_equal();
      }
      expect_equal();
      if (HasFatalFailure()) ADD_FAILURE() << "event " << event;
    }
    return taken;
  }

  // The same; that the stage did nearly all of these steps, and asked no telescope where none is near.
  void run_nearly_all(corsika::Emitter& emitter, int events, int steps, const std::function<void(int)>& begin,
                      const std::function<bool(int, int)>& each) {
    EXPECT_GT(run_events(events, steps, begin, each), events * steps * 9 / 10);
    EXPECT_EQ(emitter.event().why_not(), "");
    EXPECT_LT(emitter.counts().near_telescopes, emitter.counts().steps)
        << "steps that no telescope sees are only counted";
    EXPECT_LT(emitter.counts().traced, emitter.counts().bunches / 2);
  }

  void expect_equal() {
    ASSERT_EQ(bits(plain.photons), bits(staged.photons)) << plain.photons << " " << staged.photons;
    ASSERT_EQ(plain.bunches, staged.bunches);
    ASSERT_EQ(plain.drawn, staged.drawn);
    ASSERT_EQ(plain.hits.size(), staged.hits.size());
    for (std::size_t i = 0; i < plain.hits.size(); ++i)
      ASSERT_TRUE(same_bits(plain.hits[i], staged.hits[i])) << "hit " << i;
    ASSERT_TRUE(same_bits(shower.profile, staged_shower.profile));
  }

  Random random;
  Package plain{kObserved, 5};
  Package& staged;
  Shower shower, staged_shower;

 private:
  Package own_{kObserved, 5};
};

// With an emitter on the CPU.
class Runs : public TwoRuns {
 protected:
  Runs() : TwoRuns(41) {}
  void new_event(double max_zenith, bool fill_profile = true) {
    const double x = random.turn() < 0.3 ? random.uniform(-1e4, 1e4) : 0.,
                 y = x == 0. ? 0. : random.uniform(-1e4, 1e4);
    TwoRuns::new_event(max_zenith, fill_profile, x, y);
  }
  bool run(const Step& step, bool ask = true) { return TwoRuns::run(emitter, step, ask, ask_each); }

  // Of each event the stage is asked for the steps from number first_asked on. begin: behind new_event().
  int run_events(int events, int steps, double max_zenith, const std::function<void(int)>& begin = {},
                 int first_asked = 0) {
    return TwoRuns::run_events(
        events, steps,
        [&](int event) {
          new_event(max_zenith, event % 4 != 3);
          if (begin) begin(event);
        },
        [&](int, int i) { return run(particle(), i >= first_asked); });
  }
  void put_telescopes(const std::vector<Telescope>& telescopes) {
    shower.telescopes = telescopes;
    show_telescopes();
  }

  bool ask_each = true;  // bunches of steps that are left to CORSIKA
  corsika::Emitter emitter{staged.routines()};
};

// One run of the curved geometry twice: as CORSIKA does it, and with the stage.

inline constexpr double kEarth_cm = RayTable::kEarth_cm;

inline corsika::Emission curved_emission() { return {0., 400., 5., 0., true, index_of, nullptr}; }

// The same index from densities, in four layers of the same scale height.
inline double curved_density(double* height) {
  constexpr double kPerCm = 1. / Atmosphere::kScale;
  return *height < 1.3e7 ? Atmosphere::kSeaLevel * std::exp(-*height * kPerCm) : 1e-12;
}

inline corsika::Emission curved_air_emission() {
  constexpr double kBoundary[] = {0., 4e5, 1e6, 4e6, 1.3e7}, kPerCm = 1. / Atmosphere::kScale;
  constexpr double kSlopes[] = {kPerCm, kPerCm, kPerCm, kPerCm, 1e-12};
  static const auto kAir = corsika::ExponentialAir::measured(kBoundary, kSlopes, curved_density);
  return {0., 400., 5., 1., false, nullptr, curved_density, kAir ? &*kAir : nullptr};
}

inline const corsika::CurvedLight kLight{kEarth_cm, RayTable::distance, RayTable::time};

class CurvedRuns : public TwoRuns {
 protected:
  explicit CurvedRuns(std::uint64_t seed = 97) : TwoRuns(seed) {}

  void new_curved_event(double max_zenith) {
    new_event(max_zenith, random.turn() < 0.8, 0., 0.);
    for (Shower* one : {&shower, &staged_shower}) {
      one->context.plane.x0 = one->context.plane.y0 = 0.;
      one->context.curved = kLight;
    }
  }

  // Of the event, as a device has it. bins: of the profile's; none where it is not filled.
  [[nodiscard]] CurvedEventView curved_view(const Spheres& spheres, const corsika::CurvedArrival& arrival,
                                            std::span<const DistanceRange> bins) const {
    return {0.1,
            shower.context.plane,
            shower.context.profile.axis,
            kEarth_cm,
            view_of(spheres),
            arrival.view(),
            curved_air_emission().air->layers(),
            bins.data(),
            static_cast<int>(bins.size())};
  }

  // As run_both(). band: with CERWLEN.
  template <class Emit>
  bool run_curved(const CurvedLoop& loop, const corsika::Emission& emission, const PlainBand* band,
                  const Emit& emit) {
    return run_both(
        loop.step,
        [&](const auto& context, Package& package) {
          plain_curved_step(loop, kLight, emission, context, package, band);
        },
        emit);
  }

  // In the detector's frame or not.
  CurvedLoop loop_of(const Step& step) {
    CurvedLoop loop{};
    loop.step = step;
    loop.stops_at_plane = random.turn() < 0.7;
    const double drop = loop.stops_at_plane ? random.logarithmic(1., 3e5) : 0.;
    loop.apparent_before = step.before.z - drop;
    loop.apparent_between = step.between.z * (loop.stops_at_plane ? random.uniform(0.99, 1.01) : 1.);
    loop.half_z = 0.5 * step.between.z;
    loop.mass = 5.11e-4;
    std::tie(loop.energy, loop.energy_slope) = random_energy(step, 0.2, 0.98);
    loop.index_height = step.before.z + step.bunches * step.between.z;
    loop.index_excess = curved_density(&loop.index_height);
    return loop;
  }
};

}  // namespace cherenkov::test
