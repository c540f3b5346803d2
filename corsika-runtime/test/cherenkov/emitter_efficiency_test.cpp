// Steps of builds with option CEFFIC, without and with CERWLEN: the stage against CERENK's loop, written
// plainly; and what it knows of absorption in air.
#include <gmock/gmock.h>

#include "corsika_runtime/light_options/ceffic.hpp"
#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
namespace lossy = cherenkov::corsika;
using lossy::BunchLoop;

struct PhotonLoop {
  BunchLoop loop;
  bool dispersed;  // with CERWLEN
};

lossy::Emission loss_emission() { return {1e-2, 400., 1., 0., true, index_of, nullptr}; }

// CORSIKA's tables, and its CESPEC, TELEFF and ATABSO, written plainly.
struct Losses : PlainEfficiency, PlainSpectrum {
  static constexpr std::size_t kPoints = lossy::kEfficiencyPoints;
  std::array<double, kPoints> at_plane{};
  std::vector<double> air = std::vector<double>(kPoints * 51);
  bool with_air = true;

  Losses() {
    for (std::size_t k = 0; k < kPoints; ++k) {
      const double wavelength = 180. + 5. * static_cast<double>(k), x = (wavelength - 400.) / 150.;
      mirror[k] = 0.8 + 0.1 * std::sin(wavelength);
      quantum[k] = 0.3 * std::exp(-x * x);
      const double rayleigh = std::pow(400. / wavelength, 4.);
      for (std::size_t km = 0; km <= 50; ++km)
        air[km * kPoints + k] = 0.4 * rayleigh * (1. - std::exp(-static_cast<double>(km) / 8.));
      at_plane[k] = 0.4 * rayleigh * (1. - std::exp(-kObserved * 1e-5 / 8.));
    }
  }
  [[nodiscard]] lossy::PhotonLosses photon_losses() const {
    return {tables(), {air.data(), at_plane.data(), with_air}, view(), longest};
  }
  [[nodiscard]] double extinction(double wavelength, double height) const {
    const int i = 1 + static_cast<int>((wavelength - 180.) / 5.), at = i * 5 + 175;
    const double km = height / 1e5;
    const int low = static_cast<int>(km);
    double along[2];
    for (int j = 0; j < 2; ++j) {
      const auto k = static_cast<std::size_t>(i - 1 + j);
      const auto of = [&](int level) { return air[static_cast<std::size_t>(level) * kPoints + k]; };
      if (low < 0)
        along[j] = of(0);
      else if (low + 1 > 50)
        along[j] = of(50) - at_plane[k];
      else
        along[j] = linear(km, low, low + 1, of(low), of(low + 1)) - at_plane[k];
    }
    return linear(wavelength, at, at + 5, along[0], along[1]);
  }
};

struct GivenPhotons : lossy::Efficiency {
  GivenPhotons(const PhotonLoop& loop, const lossy::PhotonLosses& losses, double& last)
      : Efficiency(losses, &last, nullptr) {
    loop_ = loop.loop;
    dispersed_ = loop.dispersed;
  }
};

double one_of(Package& package) {
  double number = 0.;
  package.draw(&number, 1);
  return number;
}

// CERENK's loop. Returns the number that CORSIKA leaves in RD(1).
double plain_photons(const PhotonLoop& loop, const Losses& losses, const lossy::ObservationContext& context,
                     Package& package) {
  const Step& step = loop.loop.step;
  PlainNumbers numbers(package, (loop.dispersed ? 2 : 1) * step.bunches);
  Step::Point at = step.before;
  double last = 0.;
  for (int i = 0; i < step.bunches; ++i) {
    last = one_of(package);
    const double wavelength = losses.wavelength(last);
    if (losses.with_mirror || losses.with_quantum) {
      last = one_of(package);
      if (!(last <= losses.probability(wavelength))) continue;
    }
    at = next_point(at, step.between);
    double beta_n = 0.;
    if (loop.dispersed) {
      const double energy = loop.loop.energy + loop.loop.energy_slope * at.path;
      const double beta = std::sqrt((1. - loop.loop.mass / energy) * (1. + loop.loop.mass / energy));
      const double factor = 0.967 + 0.033 * std::pow(400. / wavelength, 2.5);
      beta_n = beta * (1. + (index_of(&at.z) - 1.) * factor);
    } else {
      beta_n = loop.loop.beta_n(at, loss_emission());
    }
    const auto bunch = plain_bunch(step, beta_n, loop.dispersed ? 2 : 1, numbers, context);
    if (!bunch) continue;
    if (losses.with_air) {
      last = one_of(package);
      if (!(last <= std::exp(-losses.extinction(wavelength, at.z) / bunch->light.w))) continue;
    }
    plain_emit(step, context, package, at, bunch->light,
               step.photons_per_sin2 * bunch->sin2_theta * step.weight, -wavelength);
  }
  return last;
}

class PhotonRuns : public TwoRuns {
 protected:
  PhotonRuns() : TwoRuns(83) {}

  // Of all kinds.
  PhotonLoop loop_of(const Step& of, bool dispersed) {
    PhotonLoop loop{};
    loop.dispersed = dispersed;
    loop.loop.step = of;
    Step& step = loop.loop.step;
    const double longer = random.logarithmic(1., 40.);  // of most photons nothing comes
    step.bunches = static_cast<int>(step.bunches * longer) + 2;
    for (double* each : {&step.between.path, &step.between.x, &step.between.y, &step.between.z,
                         &step.between.time, &step.photons_per_sin2})
      *each /= longer;
    loop.loop.kind =
        dispersed || random.turn() < 0.3 ? BunchLoop::Index::kAtBunch : BunchLoop::Index::kLinear;
    loop.loop.mass = 5.11e-4;
    std::tie(loop.loop.energy, loop.loop.energy_slope) = random_energy(step, 0.3, 0.95);
    return loop;
  }

  bool run_photons(const PhotonLoop& loop) {
    shower.context.cut_w = staged_shower.context.cut_w = cut_w;
    double last = 0., staged_last = 0.;
    const bool taken = run_both(
        loop.loop.step,
        [&](const auto& context, Package& package) { last = plain_photons(loop, losses, context, package); },
        [&](const auto& context) {
          return emitter.emit(GivenPhotons(loop, view, staged_last), loss_emission(), context);
        });
    EXPECT_TRUE(!taken || bits(last) == bits(staged_last));
    return taken;
  }

  void expect_the_same(int events) {
    view = losses.photon_losses();
    ASSERT_EQ(view.why_not(), nullptr);
    run_nearly_all(
        emitter, events, 200,
        [this](int event) {
          new_event(1., random.turn() < 0.8, 0., 0.);
          if (event % 3 == 0) go_straight();
        },
        [this](int event, int) { return run_photons(loop_of(particle(), event % 2 == 1)); });
  }

  double cut_w = 0.3;
  Losses losses;
  lossy::PhotonLosses view = losses.photon_losses();
  lossy::Emitter emitter{staged.routines()};
};

TEST_F(PhotonRuns, TheSameBitsAsThePlainLoop) {
  expect_the_same(60 / kShare);
  EXPECT_GT(plain.hits.size(), 200U / kShare);
}

// A photon that the cut removes takes no number for absorption; and more than 100 azimuths.
TEST_F(PhotonRuns, TheSameWithOtherLosses) {
  losses.with_air = false;
  expect_the_same(20 / kShare);
  losses = {};
  cut_w = 0.9;
  losses.with_mirror = false;
  expect_the_same(30 / kShare);
  losses = {};
  cut_w = 0.3;
  losses.mirror.fill(0.99);
  losses.quantum.fill(0.99);
  expect_the_same(10 / kShare);
  losses.with_mirror = losses.with_quantum = false;
  expect_the_same(10 / kShare);
  losses.with_air = false;
  expect_the_same(10 / kShare);
}

TEST_F(PhotonRuns, LeavesToCorsika) {
  new_event(0.6, true, 0., 0.);
  auto context = staged_shower.surroundings();
  context.cut_w = cut_w;
  const PhotonLoop loop = loop_of(particle(), true);
  PhotonLoop single = loop, odd = loop, slow = loop;
  single.loop.step.bunches = 1;
  odd.loop.step.between.x = NAN;
  slow.loop.energy = 0.5 * slow.loop.mass;
  double last = 0.;
  const std::uint64_t drawn = staged.drawn;
  for (const PhotonLoop& left : {single, odd, slow})
    EXPECT_FALSE(emitter.emit(GivenPhotons(left, view, last), loss_emission(), context));
  losses.longest = 1180.;
  EXPECT_THAT(losses.photon_losses().why_not(), testing::HasSubstr("CWAVLG")) << "the tables end there";
  EXPECT_FALSE(emitter.emit(GivenPhotons(loop, losses.photon_losses(), last), loss_emission(), context));
  EXPECT_EQ(staged.drawn, drawn);
}

TEST_F(PhotonRuns, ExtinctionAsInTheTable) {
  for (int i = 0; i < 20000; ++i) {
    const double wavelength = random.uniform(250., 700.), height = random.uniform(-1e5, 6e6);
    const double exact = losses.extinction(wavelength, height);
    ASSERT_EQ(bits(view.extinction(wavelength, height)), bits(exact)) << wavelength << " " << height;
    ASSERT_NEAR(view.near_extinction(wavelength, height), exact, 1e-12) << wavelength << " " << height;
    const double number = random.turn();
    ASSERT_EQ(view.detects(wavelength, number), number <= losses.probability(wavelength));
  }
}

TEST_F(PhotonRuns, PassagesHoldForEachDirection) {
  constexpr std::size_t kPhotons = 4000;
  std::vector<double> number(kPhotons + cherenkov::kMostLanes, 1.), along = number, low = number,
                                                                    high = number, passage = number;
  for (std::size_t k = 0; k < kPhotons; ++k) {
    low[k] = random.uniform(0.1, 1.);
    high[k] = std::min(1., low[k] * random.uniform(1., 1.2));
    along[k] = random.logarithmic(1e-4, 30.) * (random.turn() < 0.1 ? -0.01 : 1.);
    number[k] = random.turn() < 0.5 ? random.turn() : std::exp(-along[k] / random.uniform(low[k], high[k]));
  }
  along[7] = 1e4;
  along[8] = NAN;
  cherenkov::passages(number.data(), along.data(), low.data(), high.data(), kPhotons, passage.data());
  std::size_t known = 0;
  for (std::size_t k = 0; k < kPhotons; ++k) {
    if (passage[k] == cherenkov::kUndecided) continue;
    ++known;
    for (const double w : {low[k], 0.5 * (low[k] + high[k]), high[k]})
      ASSERT_EQ(passage[k] == cherenkov::kPasses, number[k] <= std::exp(-along[k] / w)) << k;
  }
  EXPECT_GT(known, kPhotons / 3);
  EXPECT_EQ(passage[7], cherenkov::kUndecided);
  EXPECT_EQ(passage[8], cherenkov::kUndecided);
}

}  // namespace
