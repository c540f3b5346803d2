#include "cherenkov/bend.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace cherenkov {
namespace {

constexpr int kHeights = 8192;
constexpr double kNoise = 1e-3;  // cm: shifts are differences of rounded positions

// Where the formula is set equal to what is traced: at 45 degrees.
constexpr double kSlope = 0.70710678118654752;

}  // namespace

Bend Bend::measured(double low, double high, const Trace& trace) {
  if (!(low < high)) throw std::invalid_argument("no heights between the detection plane and the top");
  Bend bend;
  bend.low_ = low;
  bend.high_ = high;
  bend.per_cm_ = (kHeights - 1) / (high - low);
  bend.k_.resize(kHeights);
  for (int i = 0; i < kHeights; ++i) {
    const double height = std::min(high, low + i / bend.per_cm_);
    const double k = -trace(height, kSlope, kSlope) * kSlope * kSlope;
    if (!std::isfinite(k)) throw std::runtime_error("refraction is not finite at some height");
    bend.k_[static_cast<std::size_t>(i)] = k;
    if (i % 64 != 0) continue;
    for (double u = 0.02; u < 0.966; u += 0.0315) {
      const double w = std::sqrt((1. - u) * (1. + u));
      const double formula = -k * u / (w * w * w);
      if (!(std::fabs(trace(height, u, w) - formula) <= std::fabs(formula) * relative_error(w) + kNoise))
        throw std::runtime_error("refraction does not follow the formula that light is skipped by");
    }
  }
  bend.error_.resize(kHeights);
  for (std::size_t i = 0; i < kHeights; ++i) {
    // Between two heights k is within their difference and their neighbours'.
    const std::size_t from = i == 0 ? 0 : i - 1;
    const std::size_t to = std::min<std::size_t>(kHeights - 1, i + 2);
    const auto [least, most] = std::minmax_element(bend.k_.begin() + static_cast<std::ptrdiff_t>(from),
                                                   bend.k_.begin() + static_cast<std::ptrdiff_t>(to) + 1);
    bend.error_[i] = *most - *least + kNoise;
  }
  return bend;
}

Bend::Strength Bend::between(double from, double to) const {
  const auto at = [this](double height) {
    return std::clamp(static_cast<int>((height - low_) * per_cm_), 0, kHeights - 1);
  };
  const auto first = static_cast<std::size_t>(at(std::min(from, to)));
  const auto last = static_cast<std::size_t>(at(std::max(from, to)));
  const double k = 0.5 * (k_[first] + k_[last]);
  double error = 0.;
  for (std::size_t i = first; i <= last; ++i) error = std::max(error, std::fabs(k_[i] - k) + error_[i]);
  return {k, error};
}

}  // namespace cherenkov
