// Each operation in CORSIKA's order. Compiled with -ffp-contract=off.
#include "corsika_runtime/efficiency/photon_losses.hpp"

#include <cmath>

namespace cherenkov::corsika {
namespace {

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
      bounds_(bounds_of(tables)),
      lost_(tables, spectrum),
      why_not_(
          !tables.with_mirror && !tables.with_quantum
              ? "no light is lost at mirrors or cathodes (first and third of CERQEF are F); build without "
                "CEFFIC, unless air absorbs light"
          : !(spectrum.norm > 0. && holds(tables.wavelength_min, spectrum.shortest, longest) &&
              holds(kFirstOfAir_nm, spectrum.shortest, longest))
              ? "CWAVLG reaches out of the tables of CEFFIC; give a narrower band"
              : nullptr) {}

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
