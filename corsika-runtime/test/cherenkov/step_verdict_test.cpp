// The device's sums of a step's light in the curved geometry, against adding its bunches one by one.

#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

class CurvedVerdict : public CurvedRuns {};

// The photons of each bunch, as CERENK computes them.
std::vector<double> photons_of(const CurvedLoop& loop, const corsika::Emission& emission) {
  std::vector<double> photons;
  Step::Point at = loop.step.before;
  for (int i = 0; i < loop.step.bunches; ++i) {
    at = next_point(at, loop.step.between);
    const double ratio = loop.mass / (loop.energy + loop.energy_slope * at.path);
    const double beta_n = std::sqrt((1. - ratio) * (1. + ratio)) * refractive_index(emission, at.z);
    const double cosine = 1. / beta_n;
    photons.push_back(loop.step.photons_per_sin2 * ((1. - cosine) * (1. + cosine)) * loop.step.weight);
  }
  return photons;
}

// Sums that are so small that the last bits of the photons show.
TEST_F(CurvedVerdict, SumsAreThoseOfBunchesOneByOne) {
  const corsika::Emission emission = curved_air_emission();
  ASSERT_NE(emission.air, nullptr);
  const auto arrival = corsika::CurvedArrival::measured(kObserved, RayTable::distance);
  const Spheres none;
  int known = 0, unknown = 0;
  for (int event = 0; event < 20; ++event) {
    new_curved_event(1.2);
    const CurvedEventView view = curved_view(none, arrival, {});
    for (int i = 0; i < 4000; ++i) {
      CurvedLoop loop = loop_of(particle());
      // An index that is known far from the bunches, in their layer of the air: it must not be used.
      if (random.turn() < 0.1) {
        loop.index_height += random.sign() * random.logarithmic(1e4, 2e6);
        loop.index_excess = curved_density(&loop.index_height);
      }
      const double power =
          std::exp2(std::floor(std::log2(loop.step.photons_per_sin2) + random.uniform(-1., 12.)));
      const StepAnswer answer = CurvedJudge<OneLane>(loop, view, {}).answer(power, nullptr);
      if (answer.verdict != Verdict::kUnseen) continue;
      double sum = power * (1. + random.turn());
      const double found = answer.total.added_to(sum);
      for (const double photons : photons_of(loop, emission)) sum += photons;
      if (std::isnan(found)) {
        ++unknown;
      } else {
        ASSERT_EQ(found, sum) << "event " << event << ", step " << i;
        ++known;
      }
    }
  }
  EXPECT_GT(known, 10000);
  EXPECT_GT(unknown, 0);
  EXPECT_LT(unknown, known);
}

}  // namespace
