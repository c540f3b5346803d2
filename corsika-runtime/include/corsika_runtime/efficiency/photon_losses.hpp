// What becomes of a photon with option CEFFIC: CORSIKA's CESPEC, TELEFF and ATABSO from their random numbers,
// with CORSIKA's bits. Reads CORSIKA's tables. No side effects.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cherenkov::corsika {

// Which photons are lost in mirror or photocathode (option CEFFIC), told from their random numbers.
// `LostPhotons` finds most lost photons from both numbers of each, without a wavelength. For the others the
// wavelength is computed, and the bounds for it (`bounds_of`) decide. About one in a hundred stays undecided:
// CORSIKA's TELEFF does it. Reads CORSIKA's tables. No side effects.
//
// An interval lies between two points of the tables, 5 nm apart. A bin is an eighth of an interval. A cell is
// 1/1024 of the range of CESPEC's random number.

/// CORSIKA's tables of option CEFFIC, COMMON /CRCERABS/: values at `wavelength_min` + 5 k nm, k from 0 to
/// 200.
struct EfficiencyTables {
  const double* mirror;   ///< reflectivity: MIRREF
  const double* quantum;  ///< quantum efficiency of the photocathode: QUAEFF
  double wavelength_min;  ///< nm: WLMIN
  bool with_mirror;       ///< CERMIR; where false, the reflectivity is 1
  bool with_quantum;      ///< CERQEF; where false, the quantum efficiency is 1
};

/// A photon whose second random number, TELEFF's, is above `high` is lost, one whose number is not above
/// `low` is kept. Between the two CORSIKA's own routine decides.
struct EfficiencyBounds {
  double low, high;
};

inline constexpr int kEfficiencyPoints = 201;
inline constexpr int kBinsPerInterval = 8;  ///< so that about one photon in a hundred is undecided
inline constexpr int kEfficiencyBins = (kEfficiencyPoints - 1) * kBinsPerInterval;

/// Bounds by wavelength: element k is for wavelengths from wavelength_min + 5/8 k nm to wavelength_min + 5/8
/// (k + 1) nm.
using BoundsByWavelength = std::array<EfficiencyBounds, kEfficiencyBins>;

/// CORSIKA's TELEFF keeps a photon where its random number is not above M(w) Q(w), the mirror's reflectivity
/// times the quantum efficiency. M and Q are straight lines within an interval, so that over a bin each lies
/// between its values at the bin's ends, and the product between products of these. The bounds are wider by
/// 10^-9. TELEFF's rounding is below 10^-12 where the tables' values are below 10; an interval with a larger
/// value at an end has no bounds: low is -HUGE_VAL and high HUGE_VAL there.
BoundsByWavelength bounds_of(const EfficiencyTables& tables);

/// How CORSIKA's CESPEC draws a wavelength w: with a density as 1/w^2 between the shortest, s, and the
/// longest, l. For the random number u,
///   w = norm * s / (norm - u * s).
struct Spectrum {
  double shortest;  ///< s, nm: WAVLGL
  double norm;      ///< s * l / (l - s), nm: CERNOR
};

/// Recognises lost photons by their two random numbers, CESPEC's u and TELEFF's.
class LostPhotons {
 public:
  LostPhotons();  ///< recognises none
  /// A photon is lost where TELEFF's number is above the largest probability of detection in the cell of its
  /// u. A cell with a wavelength that the tables do not hold recognises none.
  LostPhotons(const EfficiencyTables& tables, const Spectrum& spectrum);

  /// How many photons are surely lost before the first one of which this is not known. draws: random numbers
  /// between 0 and 1, two of each photon; photons: how many `draws` has numbers for.
  [[nodiscard]] std::int64_t before_next(const double* draws, std::int64_t photons) const {
    std::int64_t lost = 0;
    while (lost < photons && is_lost(draws + 2 * lost)) ++lost;
    return lost;
  }

 private:
  static constexpr int kCells = 1024;  // 8 kB
  [[nodiscard]] bool is_lost(const double* draws) const {
    return draws[1] > limit_[static_cast<std::size_t>(static_cast<int>(draws[0] * kCells))];
  }

  // Of a cell: the largest probability there. The last is for u = 1, which no generator gives.
  std::array<double, kCells + 1> limit_{};
};

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

  /// Null where the tables that are used have values for all wavelengths from the shortest to `longest`, nm.
  /// Else what does not hold, and what to change.
  [[nodiscard]] const char* why_not() const { return why_not_; }

  /// Whether mirror or photocathode loses photons. If not, TELEFF is not called, and draws no number.
  [[nodiscard]] bool telescope_loses() const { return tables_.with_mirror || tables_.with_quantum; }

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
