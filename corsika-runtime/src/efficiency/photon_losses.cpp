// Each operation in CORSIKA's order. Compiled with -ffp-contract=off.
#include "corsika_runtime/efficiency/photon_losses.hpp"

#include <algorithm>
#include <cmath>

namespace cherenkov::corsika {
namespace {

constexpr double kInterval_nm = 5.;
constexpr double kLargest_nm = 1e4;
constexpr double kRounding_nm = 1e-9;  // of a wavelength below kLargest_nm
constexpr double kMargin = 1e-9;       // of the probability
constexpr double kLargestValue = 10.;  // of a table's values
constexpr int kTopOfTable_km = 50;
constexpr double kFirstOfAir_nm = 180.;  // of the table of absorption in air

// LINEAR.
double linear(double x, int x0, int x1, double f0, double f1) {
  return f0 + (f1 - f0) * (x - x0) / static_cast<double>(x1 - x0);
}

bool holds(double first, double shortest, double longest) {
  return shortest >= first && longest < first + 5. * (kEfficiencyPoints - 1) - 1.;
}

}  // namespace

PhotonLosses::PhotonLosses(const EfficiencyTables& tables, const AirTables& air, const Spectrum& spectrum,
                           double longest)
    : tables_(tables),
      air_(air),
      spectrum_(spectrum),
      why_not_(spectrum.norm > 0. &&
                       (!telescope_loses() || holds(tables.wavelength_min, spectrum.shortest, longest)) &&
                       (!air.used || holds(kFirstOfAir_nm, spectrum.shortest, longest))
                   ? nullptr
                   : "CWAVLG reaches out of the tables of CEFFIC; give a narrower band") {
  bounds_.fill({-HUGE_VAL, HUGE_VAL});
  limit_.fill(HUGE_VAL);
  const double first = tables.wavelength_min, top = first + kInterval_nm * (kEfficiencyPoints - 1);
  if (!(std::abs(first) < kLargest_nm)) return;
  constexpr double kBin_nm = kInterval_nm / kBinsPerInterval;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const double from = first + kBin_nm * static_cast<double>(bin);
    bounds_[bin] = bounds_between(from - kRounding_nm, from + kBin_nm + kRounding_nm);
  }
  // CESPEC's w has an error of about 2^-52 * w^2 / s: below kRounding_nm, as s is at least 1 nm, and w at
  // most 1000 nm above the tables' first wavelength, which is not above s.
  if (!(spectrum.shortest >= 1. && spectrum.shortest >= first && spectrum.shortest < kLargest_nm &&
        spectrum.norm > 0.))
    return;
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    const double from = wavelength(static_cast<double>(cell) / kCells) - kRounding_nm,
                 to = wavelength(static_cast<double>(cell + 1) / kCells) + kRounding_nm;
    // to > from fails where norm - u s is 0 within the cell.
    if (from >= first && to > from && to < std::min(top, kLargest_nm))
      limit_[cell] = bounds_between(from, to).high;
  }
}

PhotonLosses::Bounds PhotonLosses::bounds_between(double from, double to) const {
  const auto interval_at = [&](double wavelength) {
    const int k = static_cast<int>(std::floor((wavelength - tables_.wavelength_min) / kInterval_nm));
    return static_cast<std::size_t>(std::clamp(k, 0, kEfficiencyPoints - 2));
  };
  Bounds bounds{HUGE_VAL, -HUGE_VAL};
  // All intervals that the range touches, also a neighbour that TELEFF would choose only by rounding. Each
  // one's straight line is extended over the whole range, which only widens the bounds. TELEFF finds k with
  // WLMIN, but interpolates from INT(WLMIN) + 5 k.
  for (std::size_t k = interval_at(from); k <= interval_at(to); ++k) {
    const double begin_nm = std::trunc(tables_.wavelength_min) + kInterval_nm * static_cast<double>(k);
    bool is_usable = true;
    const auto ends_of = [&](const double* table, bool used) {
      if (!used) return std::array{1., 1.};
      is_usable = is_usable && std::abs(table[k]) <= kLargestValue && std::abs(table[k + 1]) <= kLargestValue;
      const auto at = [&](double wavelength) {
        return table[k] + (table[k + 1] - table[k]) * (wavelength - begin_nm) / kInterval_nm;
      };
      return std::array{at(from), at(to)};
    };
    const auto mirror = ends_of(tables_.mirror, tables_.with_mirror);
    const auto quantum = ends_of(tables_.quantum, tables_.with_quantum);
    if (!is_usable) return {-HUGE_VAL, HUGE_VAL};
    for (const double m : mirror)
      for (const double q : quantum) {
        bounds.low = std::min(bounds.low, m * q);
        bounds.high = std::max(bounds.high, m * q);
      }
  }
  return {bounds.low - kMargin, bounds.high + kMargin};
}

double PhotonLosses::probability(double wavelength) const {
  const int index = 1 + static_cast<int>((wavelength - tables_.wavelength_min) / 5.);
  const int first = index * 5 + static_cast<int>(tables_.wavelength_min) - 5;
  const auto value = [&](const double* table) {
    return linear(wavelength, first, first + 5, table[index - 1], table[index]);
  };
  const double mirror = tables_.with_mirror ? value(tables_.mirror) : 1.;
  const double quantum = tables_.with_quantum ? value(tables_.quantum) : 1.;
  return mirror * quantum;
}

double PhotonLosses::extinction(double wavelength, double height) const {
  const int index = 1 + static_cast<int>((wavelength - kFirstOfAir_nm) / 5.);
  const int first = index * 5 + 175;
  const double height_km = height / 1e5;
  const int low = static_cast<int>(height_km), high = low + 1;
  const auto along = [&](std::size_t k) {
    if (low < 0) return air(k, 0);
    if (high > kTopOfTable_km) return air(k, kTopOfTable_km) - air_.at_plane[k];
    return linear(height_km, low, high, air(k, low), air(k, high)) - air_.at_plane[k];
  };
  const auto k = static_cast<std::size_t>(index) - 1;
  return linear(wavelength, first, first + 5, along(k), along(k + 1));
}

double PhotonLosses::near_extinction(double wavelength, double height) const {
  const double place = (wavelength - kFirstOfAir_nm) * 0.2;
  const auto k = static_cast<std::size_t>(place);
  const double x = place - static_cast<double>(k);
  const double height_km = height * 1e-5;
  const int low = static_cast<int>(height_km);
  if (!(height_km >= 0.) || low >= kTopOfTable_km) return extinction(wavelength, height);
  const double y = height_km - low;
  const double* here = air_.extinction + static_cast<std::size_t>(low) * kEfficiencyPoints + k;
  const double* above = here + kEfficiencyPoints;
  const double one = here[0] + (above[0] - here[0]) * y - air_.at_plane[k];
  const double next = here[1] + (above[1] - here[1]) * y - air_.at_plane[k + 1];
  return one + (next - one) * x;
}

}  // namespace cherenkov::corsika
