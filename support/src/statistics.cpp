#include "support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace support {
namespace {

constexpr std::uint64_t kSeed = 20240607;
constexpr double kZ95 = 1.959963984540054;

using Random = std::mt19937_64;

/// `value` with the interval of what `draw` gives, where there is more than one value to draw from.
Estimate bootstrap(double value, bool has_interval, int rounds, const std::function<double(Random&)>& draw) {
  Estimate estimate{value, value, value, has_interval};
  if (!has_interval) return estimate;
  Random random(kSeed);
  std::vector<double> medians;
  for (int round = 0; round < rounds; ++round) medians.push_back(draw(random));
  estimate.low = quantile(medians, 0.025);
  estimate.high = quantile(medians, 0.975);
  return estimate;
}

/// The median of as many of the values, drawn at random.
double drawn_median(const std::vector<double>& values, Random& random) {
  std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
  std::vector<double> sample(values.size());
  for (double& value : sample) value = values[pick(random)];
  return median(std::move(sample));
}

void check_pairs(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) throw std::invalid_argument("runs made in pairs must be as many of both kinds");
}

}  // namespace

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

Estimate binomial_share(double hits, double trials) {
  if (trials <= 0) return {.high = 1};
  const double p = hits / trials, z2 = kZ95 * kZ95;
  const double centre = (p + z2 / (2 * trials)) / (1 + z2 / trials);
  const double half = kZ95 / (1 + z2 / trials) * std::sqrt(p * (1 - p) / trials + z2 / (4 * trials * trials));
  return {p, std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

Estimate bootstrap_median(const std::vector<double>& values, int rounds) {
  return bootstrap(median(values), values.size() > 1, rounds,
                   [&](Random& random) { return drawn_median(values, random); });
}

Estimate paired_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  check_pairs(a, b);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (b[i] > 0) ratios.push_back(a[i] / b[i]);
  return bootstrap_median(ratios);
}

Estimate ratio_of_medians(const std::vector<double>& a, const std::vector<double>& b) {
  const double below = median(b);
  const bool has_interval = below > 0 && a.size() > 1 && b.size() > 1;
  return bootstrap(below > 0 ? median(a) / below : 0, has_interval, 10000, [&](Random& random) {
    const double above = drawn_median(a, random);
    return above / drawn_median(b, random);
  });
}

Estimate removed_fraction(const std::vector<double>& stock, const std::vector<double>& patched, double share,
                          double share_sigma) {
  check_pairs(stock, patched);
  std::vector<double> fractions;
  for (std::size_t i = 0; i < stock.size(); ++i)
    if (stock[i] > 0 && share > 0) fractions.push_back((stock[i] - patched[i]) / (share * stock[i]));
  return bootstrap(median(fractions), fractions.size() > 1, 10000, [&](Random& random) {
    const double fraction = drawn_median(fractions, random);
    if (!(share_sigma > 0)) return fraction;  // a share without an error; a distribution must have a width
    std::normal_distribution<double> normal(share, share_sigma);
    return fraction * share / std::max(normal(random), 0.1 * share);
  });
}

double amdahl_gain(double share) { return share < 1 ? 1 / (1 - share) : 0; }

}  // namespace support
