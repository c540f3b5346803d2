// What becomes of a photon with option CEFFIC: CORSIKA's CESPEC, TELEFF and ATABSO from their random numbers,
// with CORSIKA's bits. Reads CORSIKA's tables. No side effects.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cherenkov::corsika {

/// CORSIKA's tables of option CEFFIC, COMMON /CRCERABS/: values at `wavelength_min` + 5 k nm, k from 0 to
/// 200.
struct EfficiencyTables {
  const double* mirror;   ///< reflectivity: MIRREF
  const double* quantum;  ///< quantum efficiency of the photocathode: QUAEFF
  double wavelength_min;  ///< nm: WLMIN
  bool with_mirror;       ///< CERMIR; where false, the reflectivity is 1
  bool with_quantum;      ///< CERQEF; where false, the quantum efficiency is 1
};

inline constexpr int kEfficiencyPoints = 201;

/// How CORSIKA's CESPEC draws a wavelength w: with a density as 1/w^2 between the shortest, s, and the
/// longest, l. For the random number u,
///   w = norm * s / (norm - u * s).
struct Spectrum {
  double shortest;  ///< s, nm: WAVLGL
  double norm;      ///< s * l / (l - s), nm: CERNOR
};

/// CORSIKA's tables of absorption in air, COMMON /CRCERABS/, in Fortran's order.
struct AirTables {
  const double* extinction;  ///< ATMABS(201,0:50): at 180 + 5 k nm, to a height in km
  const double* at_plane;    ///< ATEOBS(201): of the detection plane
  bool used;                 ///< CERATA; where false, air absorbs nothing, and no number is drawn for it
};

/// Most photons that mirror or photocathode lose are told from their two random numbers, CESPEC's u and
/// TELEFF's, without a wavelength. For the others the wavelength is computed, and bounds for it decide. About
/// one in a hundred stays undecided: TELEFF's formula does it.
///
/// An interval lies between two points of the tables, 5 nm apart. A bin is an eighth of an interval. A cell
/// is 1/1024 of the range of CESPEC's random number. TELEFF keeps a photon where its random number is not
/// above M(w) Q(w), the mirror's reflectivity times the quantum efficiency. M and Q are straight lines within
/// an interval, so that over a bin, or a cell, each lies between its values at the ends, and the product
/// between products of these. The bounds are wider by 10^-9. TELEFF's rounding is below 10^-12 where the
/// tables' values are below 10; where one is larger, or the tables do not hold the wavelength, nothing is
/// told.
class PhotonLosses {
 public:
  PhotonLosses(const EfficiencyTables& tables, const AirTables& air, const Spectrum& spectrum,
               double longest);

  /// Null where the tables that are used have values for all wavelengths from the shortest to `longest`, nm.
  /// Else what does not hold, and what to change.
  [[nodiscard]] const char* why_not() const { return why_not_; }

  /// Whether mirror or photocathode loses photons. If not, TELEFF is not called, and draws no number.
  [[nodiscard]] bool telescope_loses() const { return tables_.with_mirror || tables_.with_quantum; }

  /// How many photons mirror or photocathode surely lose before the first one of which this is not known.
  /// draws: random numbers between 0 and 1, two of each photon; photons: how many `draws` has numbers for.
  [[nodiscard]] std::int64_t lost_before_next(const double* draws, std::int64_t photons) const {
    std::int64_t lost = 0;
    while (lost < photons &&
           draws[2 * lost + 1] > limit_[static_cast<std::size_t>(static_cast<int>(draws[2 * lost] * kCells))])
      ++lost;
    return lost;
  }

  /// CESPEC: the wavelength, nm, that a random number makes.
  [[nodiscard]] double wavelength(double random) const {
    return spectrum_.norm * spectrum_.shortest / (spectrum_.norm - random * spectrum_.shortest);
  }

  /// TELEFF: whether mirror and photocathode detect a photon of this wavelength and random number.
  [[nodiscard]] bool detects(double wavelength, double random) const {
    const double bin = (wavelength - tables_.wavelength_min) * (8. / 5.);
    if (bin >= 0. && bin < kBins) {
      const Bounds& bounds = bounds_[static_cast<std::size_t>(bin)];
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
  static constexpr int kBinsPerInterval = 8;  // so that about one photon in a hundred is undecided
  static constexpr int kBins = (kEfficiencyPoints - 1) * kBinsPerInterval;
  static constexpr int kCells = 1024;  // 8 kB
  // A photon whose random number, TELEFF's, is above `high` is lost, one whose number is not above `low` is
  // kept.
  struct Bounds {
    double low, high;
  };
  [[nodiscard]] Bounds bounds_between(double from, double to) const;
  [[nodiscard]] double probability(double wavelength) const;
  [[nodiscard]] double air(std::size_t k, int km) const {
    return air_.extinction[static_cast<std::size_t>(km) * kEfficiencyPoints + k];
  }

  EfficiencyTables tables_;
  AirTables air_;
  Spectrum spectrum_;
  std::array<Bounds, kBins> bounds_;  // by wavelength, from wavelength_min on
  // Of a cell: the largest probability there. The last is for u = 1, which no generator gives.
  std::array<double, kCells + 1> limit_;
  const char* why_not_;
};

}  // namespace cherenkov::corsika
