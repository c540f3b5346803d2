// Sets the cells of the map.
#include "cherenkov/footprint_map.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace cherenkov {
namespace {

constexpr double kRounding = 1e-6;  // of a cell; positions are computed to far less
constexpr double kFarthest = 1e10;  // cm: a double is good to 1e-6 cm there

// Cells from the one that holds `low` to the one that holds `high`.
std::pair<int, int> cells(double low, double high) {
  return {std::max(0, static_cast<int>(std::floor(low - kRounding))),
          std::min(FootprintMap::kCells - 1, static_cast<int>(std::floor(high + kRounding)))};
}

}  // namespace

FootprintMap::FootprintMap(std::span<const Footprint> footprints, double margin) {
  if (!(margin >= 0. && margin <= kFarthest)) throw std::invalid_argument("the margin must be 0 or more");
  if (footprints.empty()) return;
  double low[2] = {HUGE_VAL, HUGE_VAL};
  double high[2] = {-HUGE_VAL, -HUGE_VAL};
  for (const Footprint& f : footprints) {
    if (!(std::fabs(f.x) <= kFarthest && std::fabs(f.y) <= kFarthest && f.half_width >= 0. &&
          f.half_width <= kFarthest))
      throw std::invalid_argument("a telescope's footprint is not on this Earth, or its width negative");
    const double reach = f.half_width + margin;
    low[0] = std::min(low[0], f.x - reach), low[1] = std::min(low[1], f.y - reach);
    high[0] = std::max(high[0], f.x + reach), high[1] = std::max(high[1], f.y + reach);
  }
  const double extent = std::max({high[0] - low[0], high[1] - low[1], 1.});
  cells_per_cm_ = (kCells - 4) / extent;  // two cells to spare at each edge
  x_low_ = low[0] - 2. / cells_per_cm_;
  y_low_ = low[1] - 2. / cells_per_cm_;
  for (const Footprint& f : footprints) {
    const double reach = f.half_width + margin;
    const auto [west, east] =
        cells((f.x - reach - x_low_) * cells_per_cm_, (f.x + reach - x_low_) * cells_per_cm_);
    const auto [south, north] =
        cells((f.y - reach - y_low_) * cells_per_cm_, (f.y + reach - y_low_) * cells_per_cm_);
    for (int row = south; row <= north; ++row)
      for (int cell = row * kCells + west; cell <= row * kCells + east; ++cell)
        bits_[static_cast<std::size_t>(cell >> 5)] |= std::uint32_t{1} << (cell & 31);
  }
}

}  // namespace cherenkov
