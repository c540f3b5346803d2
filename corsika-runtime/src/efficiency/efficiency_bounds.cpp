#include "corsika_runtime/efficiency/efficiency_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace corsika {
namespace {

constexpr double kInterval_nm = 5.;
constexpr double kBin_nm = kInterval_nm / kBinsPerInterval;
constexpr double kLargest_nm = 1e4;
constexpr double kRounding_nm = 1e-9;  // of a wavelength below kLargest_nm
constexpr double kMargin = 1e-9;       // of the probability
constexpr double kLargestValue = 10.;  // of a table's values
constexpr EfficiencyBounds kUndecided{-HUGE_VAL, HUGE_VAL};

struct Range {
  double low, high;
};

// An interval, between points k and k + 1. TELEFF finds k with WLMIN, but interpolates from INT(WLMIN) + 5 k.
struct Interval {
  std::size_t k;
  double begin_nm;

  [[nodiscard]] double value(const double* table, double wavelength) const {
    return table[k] + (table[k + 1] - table[k]) * (wavelength - begin_nm) / kInterval_nm;
  }
};

bool is_usable(const double* table, std::size_t k) {
  return std::abs(table[k]) <= kLargestValue && std::abs(table[k + 1]) <= kLargestValue;
}

Range range_of(const double* table, bool used, const Interval& interval, double from, double to) {
  if (!used) return {1., 1.};
  const double first = interval.value(table, from), last = interval.value(table, to);
  return {std::min(first, last), std::max(first, last)};
}

EfficiencyBounds bounds_between(const EfficiencyTables& tables, double from, double to) {
  const auto interval_at = [&](double wavelength) {
    const int k = static_cast<int>(std::floor((wavelength - tables.wavelength_min) / kInterval_nm));
    return static_cast<std::size_t>(std::clamp(k, 0, kEfficiencyPoints - 2));
  };
  EfficiencyBounds bounds{HUGE_VAL, -HUGE_VAL};
  // All intervals that the range touches, also a neighbour that TELEFF would choose only by rounding. Each
  // one's straight line is extended over the whole range, which only widens the bounds.
  for (std::size_t k = interval_at(from); k <= interval_at(to); ++k) {
    if ((tables.with_mirror && !is_usable(tables.mirror, k)) ||
        (tables.with_quantum && !is_usable(tables.quantum, k)))
      return kUndecided;
    const Interval interval{k, std::trunc(tables.wavelength_min) + kInterval_nm * static_cast<double>(k)};
    const auto mirror = range_of(tables.mirror, tables.with_mirror, interval, from, to);
    const auto quantum = range_of(tables.quantum, tables.with_quantum, interval, from, to);
    for (const double m : {mirror.low, mirror.high})
      for (const double q : {quantum.low, quantum.high}) {
        bounds.low = std::min(bounds.low, m * q);
        bounds.high = std::max(bounds.high, m * q);
      }
  }
  return {bounds.low - kMargin, bounds.high + kMargin};
}

}  // namespace

BoundsByWavelength bounds_of(const EfficiencyTables& tables) {
  BoundsByWavelength bounds;
  bounds.fill(kUndecided);
  if (!(std::abs(tables.wavelength_min) < kLargest_nm)) return bounds;
  for (std::size_t bin = 0; bin < bounds.size(); ++bin) {
    const double from = tables.wavelength_min + kBin_nm * static_cast<double>(bin);
    bounds[bin] = bounds_between(tables, from - kRounding_nm, from + kBin_nm + kRounding_nm);
  }
  return bounds;
}

LostPhotons::LostPhotons() { limit_.fill(HUGE_VAL); }

LostPhotons::LostPhotons(const EfficiencyTables& tables, const Spectrum& spectrum) : LostPhotons() {
  // CESPEC's w has an error of about 2^-52 * w^2 / s: below kRounding_nm, as s is at least 1 nm, and w at
  // most 1000 nm above the tables' first wavelength, which is not above s.
  if (!(spectrum.shortest >= 1. && spectrum.shortest >= tables.wavelength_min &&
        spectrum.shortest < kLargest_nm && spectrum.norm > 0. &&
        std::abs(tables.wavelength_min) < kLargest_nm))
    return;
  const double top = tables.wavelength_min + kInterval_nm * (kEfficiencyPoints - 1);
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    const auto wavelength = [&](std::size_t end) {
      const double u = static_cast<double>(end) / kCells;
      return spectrum.norm * spectrum.shortest / (spectrum.norm - u * spectrum.shortest);
    };
    const double from = wavelength(cell) - kRounding_nm, to = wavelength(cell + 1) + kRounding_nm;
    // to > from fails where norm - u s is 0 within the cell.
    if (from >= tables.wavelength_min && to > from && to < std::min(top, kLargest_nm))
      limit_[cell] = bounds_between(tables, from, to).high;
  }
}

}  // namespace corsika
