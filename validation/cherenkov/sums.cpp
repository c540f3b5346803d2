// Sums of light, added in lanes, against the same terms added one after the other: random and adversarial
// terms, as many as asked for.
#include <array>
#include <cstdio>
#include <limits>

#include "cherenkov/running_sum.hpp"
#include "random_step.hpp"
#include "support/command_line.hpp"

namespace {

using namespace cherenkov;
using test::bits, test::Random;
using Count = std::uint64_t;

struct Totals {
  Count terms = 0;
  Count lines = 0, added = 0;  // steps given to try_add_photons, and those that it added
  Count different = 0;
};

constexpr int kMaxTerms = 1024;

enum Kind { kPhotons, kHalfWay, kNearPower, kAnySize, kTiny, kNotPositive, kKinds };

double term_of(Kind kind, double power, Random& random) {
  const double ulp = power * 0x1p-52;
  switch (kind) {
    case kPhotons:
      return 5. * random.turn();
    case kHalfWay: {  // at half an ulp, or the next number to either side
      const double term = (std::floor(4096. * random.turn()) + 0.5) * ulp, side = random.turn();
      return side < 0.33 ? term : std::nextafter(term, side < 0.67 ? 0. : HUGE_VAL);
    }
    case kNearPower:
      return random.logarithmic(ulp, 1e-4 * power);
    case kAnySize:
      return random.logarithmic(1e-3 * ulp, 4. * power);
    case kTiny:
      return random.turn() < 0.5 ? 0. : std::ldexp(random.turn(), -1060);
    default:
      return random.turn() > 0.016 ? random.turn()
             : random.turn() < 0.5 ? -random.turn()
                                   : std::numeric_limits<double>::quiet_NaN();
  }
}

void compare_sum(Random& random, Totals& totals) {
  const auto kind = static_cast<Kind>(random.uniform(0., kKinds));
  const int n = 1 + static_cast<int>(random.logarithmic(1., kMaxTerms - 1.));
  const double power = std::ldexp(1., static_cast<int>(random.uniform(0., 60.)) - 10);
  const double start = kind == kNearPower ? 2. * power - random.logarithmic(1e-15, 1e-3) * power
                                          : power * (1. + random.turn());
  static std::array<double, kMaxTerms + 8> terms;
  double sum = start;
  for (int i = 0; i < n; ++i) sum += terms[static_cast<std::size_t>(i)] = term_of(kind, power, random);
  const double found = running_sum(start, terms.data(), n);
  const bool same = bits(found) == bits(sum) || (std::isnan(found) && std::isnan(sum));
  if (!same && ++totals.different < 10)
    std::fprintf(stderr, "sums: kind %d, %d terms from %a: %a, not %a\n", kind, n, start, found, sum);
  totals.terms += static_cast<Count>(n);
}

// A step of n bunches, as CERENK loops over it: photons of a bunch follow from beta n, that is linear in the
// path.
void compare_line(Random& random, Totals& totals) {
  const int n = 1 + static_cast<int>(random.logarithmic(1., 300.));
  const double length = random.logarithmic(1., 1e4), between = length / n;
  const double above = random.logarithmic(1e-6, 1e-1);
  // Some steps end below the threshold: such light is negative, and must be refused.
  const double begin = 1. + above, end = 1. + above * (1.5 * random.turn() - 0.1);
  const YieldAlongStep line{begin,
                            (end - begin) / length,
                            random.logarithmic(1e-1, 1e5),
                            cherenkov::test::some_weight(length),
                            -0.5 * between,
                            between};
  const double start = random.logarithmic(1e-2, 1e10), other_start = random.logarithmic(1e-2, 1e10);
  double sum = start, other = other_start, path = line.path_before;
  for (int i = 0; i < n; ++i) {
    path += line.path_between;
    const double cosine = 1. / (line.beta_n + line.beta_n_slope * path);
    const double photons = line.photons_per_sin2 * ((1. - cosine) * (1. + cosine)) * line.weight;
    sum += photons;
    other += photons;
  }
  double alone = start, first = start, second = other_start;
  const bool one = try_add_photons(line, n, alone), two = try_add_photons(line, n, first, &second);
  const bool same = bits(alone) == bits(one ? sum : start) && bits(first) == bits(two ? sum : start) &&
                    bits(second) == bits(two ? other : other_start);
  if (!same && ++totals.different < 10)
    std::fprintf(stderr, "sums: a step of %d bunches from %a\n", n, start);
  totals.terms += static_cast<Count>(n);
  ++totals.lines;
  totals.added += two ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) try {
  std::uint64_t terms = 10000000, seed = 1;
  support::read_options(
      argc, argv,
      "Compares sums that lanes add up with the same terms added one by one: all bits must be equal.",
      {{"--terms", &terms, "terms to add"}, {"--seed", &seed, "seed of the random terms"}});
  Random random(seed);
  Totals totals;
  while (totals.terms < terms) {
    for (int i = 0; i < 100; ++i) compare_sum(random, totals), compare_line(random, totals);
  }
  std::printf("terms %lu  sums and steps %lu each (%lu steps added in lanes)  different %lu\n", totals.terms,
              totals.lines, totals.added, totals.different);
  if (2 * totals.added < totals.lines) {
    std::fprintf(stderr, "sums: error: most steps were not added in lanes, so little was compared\n");
    return 1;
  }
  return totals.different == 0 ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "sums: error: %s\n", e.what());
  return 1;
}
