// Measures k by rays at 45 degrees, and holds the formula against rays at all angles.
#include "cherenkov/refraction_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cherenkov/step.hpp"

namespace cherenkov {
namespace {

constexpr int kHeights = 8192;
constexpr int kAngles = 32;
constexpr double kNoise = 1e-3;  // cm: shifts are differences of rounded positions

// Where the formula is set equal to what is traced: at 45 degrees.
constexpr double kSlope = 0.70710678118654752;

void check_formula(const RefractionModel::Trace& trace, double height, double k) {
  const double max_u = std::sqrt((1. - RefractionModel::kMinW) * (1. + RefractionModel::kMinW));
  for (int angle = 1; angle <= kAngles; ++angle) {
    const double u = max_u * angle / kAngles;
    const double w = std::sqrt((1. - u) * (1. + u));
    const double formula = -k * u / (w * w * w);
    const RefractionModel::Arrival arrival = trace(height, u, w);
    const double slope = arrival.u / std::sqrt((1. - arrival.u) * (1. + arrival.u));
    if (!(std::fabs(arrival.shift - formula) <=
              std::fabs(formula) * RefractionModel::relative_error(1. / w) + kNoise &&
          std::fabs(slope - u / w) <= RefractionModel::kMaxSlopeChange * u / (w * w * w)))
      throw std::runtime_error("refraction does not follow the formula that light is skipped by");
  }
}

}  // namespace

RefractionModel RefractionModel::measured(double low, double high, const Trace& trace) {
  if (!(low < high)) throw std::invalid_argument("no heights between the detection plane and the top");
  RefractionModel model;
  model.low_ = low;
  model.high_ = high;
  model.per_cm_ = (kHeights - 1) / (high - low);
  model.k_.resize(kHeights);
  model.error_.resize(kHeights);
  std::vector<double> fine(2 * kHeights - 1);  // also half-way between the heights that are kept
  for (std::size_t i = 0; i < fine.size(); ++i) {
    const double height = std::min(high, low + 0.5 * static_cast<double>(i) / model.per_cm_);
    fine[i] = -trace(height, kSlope, kSlope).shift * kSlope * kSlope;
    if (!std::isfinite(fine[i])) throw std::runtime_error("refraction is not finite at some height");
    if (i % 128 == 0 || i + 1 == fine.size()) check_formula(trace, height, fine[i]);
  }
  for (std::size_t i = 0; i < kHeights; ++i) {
    model.k_[i] = fine[2 * i];
    // Between two heights k is within what is seen there and one height further on either side.
    const auto from = fine.begin() + (i == 0 ? 0 : 2 * static_cast<std::ptrdiff_t>(i) - 2);
    const auto to = fine.begin() + std::min<std::ptrdiff_t>(2 * static_cast<std::ptrdiff_t>(i) + 5,
                                                            static_cast<std::ptrdiff_t>(fine.size()));
    const auto [least, most] = std::minmax_element(from, to);
    model.error_[i] = *most - *least + kNoise;
  }
  return model;
}

RefractionModel::RefractionRange RefractionModel::between(double from, double to) const {
  return view().between(from, to, OneLane{});
}

}  // namespace cherenkov
