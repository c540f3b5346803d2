#include "corsika_runtime/cherenkov/index_table.hpp"

namespace cherenkov::corsika {
namespace {

constexpr int kCells = 39999;  // of the package's table (FAST_INTERPOLATION)
constexpr double kFarBelow_cm = -1e6, kFarAbove_cm = 2e7;

// The largest number for which `holds` is true. It is true for `low`, false for `high`, and changes once.
template <class Holds>
double last_where(Holds&& holds, double low, double high) {
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) return low;
    (holds(middle) ? low : high) = middle;
  }
}

}  // namespace

std::optional<IndexTable> IndexTable::of(const Emission& emission) {
  if (!emission.tables || emission.excess == nullptr) return std::nullopt;
  const auto excess = [&](double height) { return emission.excess(&height); };
  // Below its table REFIDX has the lowest height's index, above it that of the vacuum.
  const double most = excess(kFarBelow_cm);
  if (!(most > 0. && most < 1e-3) || excess(kFarAbove_cm) != 0.) return std::nullopt;
  IndexTable table;
  table.low_ = last_where([&](double height) { return excess(height) == most; }, kFarBelow_cm, kFarAbove_cm);
  const double high =
      last_where([&](double height) { return excess(height) > 0.; }, table.low_, kFarAbove_cm);
  table.width_ = (high - table.low_) / kCells;
  for (int i = 0; i <= kCells; ++i)
    table.excess_.push_back(excess(i < kCells ? table.low_ + i * table.width_ : high));

  for (const bool exponential : {false, true}) {
    table.is_exponential_ = exponential;
    if (table.holds(emission)) return table;
  }
  return std::nullopt;
}

// Sets the changes. Whether n is known in nearly all cells.
bool IndexTable::holds(const Emission& emission) {
  int unknown = 0;
  change_.clear();
  for (int cell = 0; cell < kCells; ++cell) {
    const double begin = excess_[static_cast<std::size_t>(cell)];
    const double end = excess_[static_cast<std::size_t>(cell) + 1];
    change_.push_back(is_exponential_ ? std::log(end / begin) : end - begin);
    bool known = true;
    for (const double fraction : {0.2, 0.5, 0.8}) {
      double height = low_ + (cell + fraction) * width_;
      const double own = (height - (low_ + cell * width_)) / width_;
      const double is = emission.excess(&height);
      // Half of the error is left for the rounding of what the device computes.
      known = known && std::fabs(is - view().excess_in(cell, own)) <= 0.5 * view().error * is &&
              emission.index(&height) == 1. + is;
    }
    unknown += known ? 0 : 1;
    if (!known) change_.back() = NAN;
  }
  return unknown <= kCells / 100;
}

}  // namespace cherenkov::corsika
