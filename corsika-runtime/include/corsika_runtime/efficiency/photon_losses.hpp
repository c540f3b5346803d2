// What becomes of a photon with option CEFFIC: CORSIKA's CESPEC, TELEFF and ATABSO from their random numbers,
// with CORSIKA's bits. Reads CORSIKA's tables. No side effects.
#pragma once

#include <cstddef>

#include "corsika_runtime/efficiency/efficiency_bounds.hpp"

namespace cherenkov::corsika {

using ::corsika::BoundsByWavelength;
using ::corsika::EfficiencyBounds;
using ::corsika::EfficiencyTables;
using ::corsika::kEfficiencyBins;
using ::corsika::kEfficiencyPoints;
using ::corsika::LostPhotons;
using ::corsika::Spectrum;

/// CORSIKA's tables of absorption in air, COMMON /CRCERABS/, in Fortran's order.
struct AirTables {
  const double* extinction;  ///< ATMABS(201,0:50): at 180 + 5 k nm, to a height in km
  const double* at_plane;    ///< ATEOBS(201): of the detection plane
  bool used;                 ///< CERATA; where false, air absorbs nothing, and no number is drawn for it
};

class PhotonLosses {
 public:
  PhotonLosses(const EfficiencyTables& tables, const AirTables& air, const Spectrum& spectrum,
               double longest);

  /// Null where all of this holds for all wavelengths from the shortest to `longest`, nm: the tables have
  /// values, and TELEFF draws a number. Else what does not hold, and what to change.
  [[nodiscard]] const char* why_not() const { return why_not_; }

  /// Photons that are surely lost in mirror or photocathode.
  [[nodiscard]] const LostPhotons& lost() const { return lost_; }

  /// CESPEC: the wavelength, nm, that a random number makes.
  [[nodiscard]] double wavelength(double random) const {
    return spectrum_.norm * spectrum_.shortest / (spectrum_.norm - random * spectrum_.shortest);
  }

  /// TELEFF: whether mirror and photocathode detect a photon of this wavelength and random number.
  [[nodiscard]] bool detects(double wavelength, double random) const {
    const double bin = (wavelength - tables_.wavelength_min) * (8. / 5.);
    if (bin >= 0. && bin < kEfficiencyBins) {
      const EfficiencyBounds& bounds = bounds_[static_cast<std::size_t>(bin)];
      if (random > bounds.high) return false;
      if (random <= bounds.low) return true;
    }
    return random <= probability(wavelength);
  }

  [[nodiscard]] bool air_absorbs() const { return air_.used; }

  /// ATABSO: the coefficient of extinction for light that leaves at a height, cm, along the vertical.
  [[nodiscard]] double extinction(double wavelength, double height) const;

  /// The same with an error of at most 1e-9 of the largest value of the table; takes less time.
  [[nodiscard]] double near_extinction(double wavelength, double height) const;

 private:
  [[nodiscard]] double probability(double wavelength) const;
  [[nodiscard]] double air(std::size_t k, int km) const {
    return air_.extinction[static_cast<std::size_t>(km) * kEfficiencyPoints + k];
  }

  EfficiencyTables tables_;
  AirTables air_;
  Spectrum spectrum_;
  BoundsByWavelength bounds_;
  LostPhotons lost_;
  const char* why_not_;
};

}  // namespace cherenkov::corsika
