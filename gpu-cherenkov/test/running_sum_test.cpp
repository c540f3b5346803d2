// For every instruction set that this machine can run: the bits of the plain loop.
#include "cherenkov/running_sum.hpp"

#include <limits>

#include "targets.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

class RunningSum : public OneTarget {};

constexpr int kMax = 112;

// Terms and whatever stands behind them.
struct Terms {
  double of[kMax];
  int n;
};

double in_order(double start, const Terms& terms) {
  for (int i = 0; i < terms.n; ++i) start += terms.of[i];
  return start;
}

Terms random_terms(Random& random, double low, double high) {
  Terms terms{};
  terms.n = static_cast<int>(random.uniform(0., 101.));
  for (double& term : terms.of) term = random.logarithmic(low, high);
  return terms;
}

// Of sums and terms of any size; and a long sum, chunk by chunk, through many powers of two, as an event's
// photons are counted.
TEST_P(RunningSum, SumsAreThoseOfTheLoop) {
  Random random(31);
  double all = 0.;
  for (int round = 0; round < 100000 / kShare; ++round) {
    const bool is_chunk = round % 2 == 0;
    const double start = is_chunk ? all : round % 10 == 1 ? 0. : random.logarithmic(1e-3, 1e12);
    const double size = is_chunk ? 0.1 : random.logarithmic(1e-6, 10.);
    const Terms terms = random_terms(random, size, size * (is_chunk ? 70. : random.logarithmic(1., 1e3)));
    const double sum = running_sum(start, terms.of, terms.n);
    ASSERT_EQ(bits(sum), bits(in_order(start, terms))) << start << " and " << terms.n << " terms of " << size;
    if (is_chunk) all = sum;
  }
  EXPECT_GT(all, 5e5 / kShare);
}

// Half-way between two multiples of the sum's ulp the sum's own last bit decides; and so close to a power of
// two that one term, or rounding alone, leads over it.
TEST_P(RunningSum, TiesAndPowersOfTwo) {
  Random random(33);
  int rounded_up = 0, rounded_down = 0;
  for (int round = 0; round < 50000 / kShare; ++round) {
    const double power = std::ldexp(1., static_cast<int>(random.uniform(-20., 40.)));
    const double ulp = power * 0x1p-52;
    const auto any_below = [&](double most) { return std::floor(random.uniform(0., most)); };
    double start = power + ulp * any_below(0x1p51);
    if (round % 4 == 1) start = 2. * power - ulp * any_below(200.);
    if (round % 4 == 2) start = power;
    Terms terms = random_terms(random, ulp, 10. * ulp);
    for (double& term : terms.of)
      if (random.turn() < 0.3) term = ulp * (any_below(100.) + 0.5);
    if (round % 4 == 3) terms.of[0] = power * random.uniform(0.9, 2.1);
    ASSERT_EQ(bits(running_sum(start, terms.of, terms.n)), bits(in_order(start, terms)))
        << std::hexfloat << start << ", round " << round;
    if (terms.n > 0) {
      const double once = start + 0.5 * ulp;
      ++(once > start ? rounded_up : rounded_down);
    }
  }
  EXPECT_GT(rounded_up, 10000 / kShare);
  EXPECT_GT(rounded_down, 10000 / kShare);
}

TEST_P(RunningSum, AnyValues) {
  Random random(34);
  const double odd[] = {0.,    -0.,      -1.,       1e-320,       -1e300,
                        1e300, HUGE_VAL, -HUGE_VAL, std::nan(""), std::numeric_limits<double>::max()};
  for (int round = 0; round < 20000 / kShare; ++round) {
    Terms terms = random_terms(random, 1e-3, 1e3);
    const int changes = static_cast<int>(random.uniform(0., 3.));
    for (int i = 0; i < changes; ++i)
      terms.of[static_cast<int>(random.uniform(0., kMax))] =
          odd[static_cast<int>(random.uniform(0., std::size(odd)))];
    double start = random.logarithmic(1e-3, 1e6);
    if (round % 3 == 0) start = odd[static_cast<int>(random.uniform(0., std::size(odd)))];
    if (round % 3 == 1) start = -start;
    const double expected = in_order(start, terms);
    const double sum = running_sum(start, terms.of, terms.n);
    if (std::isnan(expected))
      ASSERT_TRUE(std::isnan(sum)) << start;
    else
      ASSERT_EQ(bits(sum), bits(expected)) << start;
  }
}

INSTANTIATE_TEST_SUITE_P(Compiled, RunningSum, testing::ValuesIn(targets_here()), target_name);

}  // namespace
