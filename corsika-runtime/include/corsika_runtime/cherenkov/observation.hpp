// What CERENK knows before its loop, in addition to the step; the bunches of a step that emit light, with
// CERENK's bits, and one of them on its way to the ground.
#pragma once

#include <array>

#include "cherenkov/bunch_lanes.hpp"
#include "cherenkov/bunches.hpp"
#include "corsika_runtime/cherenkov/depth_profile.hpp"

namespace cherenkov::corsika {

/// Where CORSIKA does not refract light: what the time of arrival is computed from. Depths are vertical, from
/// the top of the atmosphere.
struct UnrefractedTiming {
  /// Of one bunch of a step: the step, and the bunch's way to the detection plane.
  struct Way {
    double begin, end, length;  ///< of the step, as below
    int bunches;                ///< of the step
    double path, time;          ///< of emission: along the step, cm; s
    double away;                ///< length of the way, cm
  };

  double begin, end, length;    ///< heights of the step's ends and its length, cm: ZBEG, ZEND, STEPCR
  double index_per_density;     ///< (n - 1) / density of the air, cm^3/g: ETADSN
  double depth_at_plane;        ///< of the detection plane, g/cm^2: THCKOB
  double light_speed;           ///< C(25), cm/s
  double (*depth_of)(double*);  ///< depth, g/cm^2, of a height in cm above sea level: THICK

  /// When light arrives, ns, as CERENK computes it, that is emitted at a height (cm) in a direction with w
  /// downwards. Calls depth_of. Reads of the step what `way` holds.
  [[nodiscard]] double arrival(const Way& way, double height, double w) const;
};

/// A bunch as CERENK hands it to RAYBND, in the telescopes' frame. With option CURVED before it is turned
/// into that frame: (x, y) is where it is emitted, and height its apparent height.
struct Bunch {
  double photons;
  double x, y;     ///< where a straight line arrives, cm
  double u, v, w;  ///< direction, w downwards
  double height;   ///< of emission, cm above sea level
  double time;     ///< of emission, ns; with option CURVED s
  /// nm; 0 where it is not known; negative with CEFFIC, as CERENK has it.
  double wavelength = 0.;
  UnrefractedTiming::Way way = {};  ///< where light goes straight; refracted, flat: only `away`
};

/// The light of one bunch.
struct BunchLight {
  double cosine, sine2;     ///< of its angle to the particle
  double photons, azimuth;  ///< azimuth: over 2 pi
  double wavelength = 0.;   ///< as of Bunch
};

/// Rows, a bunch each, with room for whole vectors behind the last.
struct LitBunches {
  /// Of all bunches of the step. With CEFFIC height has a row for each kept bunch. apparent: heights with
  /// option CURVED.
  std::vector<double> path, height, index, apparent, beta;
  /// Of those that emit light. number: which of the step's places it stands at, from 0; random: CERENK's
  /// number for the wavelength.
  std::vector<int> number;
  std::vector<double> beta_n, cosine, sine2, photons, azimuth, wavelength, random;
  /// For absorption in air: coefficient, least and most w, and what is known (passages()).
  std::vector<double> extinction, low_w, high_w, passage;
  std::vector<double> drawn;  ///< numbers that are drawn ahead
  std::size_t count = 0;      ///< that emit light

  /// For the n bunches of a step; none emits light yet.
  void begin(std::size_t n) {
    count = 0;
    if (number.size() >= n + kRoom) return;
    for (auto* row : {&path, &height, &index, &apparent, &beta, &beta_n, &cosine, &sine2, &photons, &azimuth,
                      &wavelength, &random, &extinction, &low_w, &high_w, &passage})
      row->resize(n + kRoom);
    number.resize(n + kRoom);
  }
  /// Running sums along a step.
  void find_places(const Step& step) {
    double at = step.before.path, z = step.before.z;
    for (std::size_t k = 0; k < static_cast<std::size_t>(step.bunches); ++k) {
      path[k] = at += step.between.path;
      height[k] = z += step.between.z;
    }
  }
  /// Sets the rows of light of bunch k of a step, with CERENK's bits.
  void set_light(std::size_t k, double its_beta_n, const Step& step) {
    const LightAngle<double> angle = light_angle(its_beta_n);
    beta_n[k] = its_beta_n;
    cosine[k] = angle.cosine;
    sine2[k] = angle.sine2;
    photons[k] = angle.photons(step.photons_per_sin2, step.weight);
  }
  /// Puts bunch `from`, of which the rows of light are set, behind those that emit light.
  void keep(std::size_t from, int its_number) {
    number[count] = its_number;
    if (from != count)
      for (auto* row : {&apparent, &beta_n, &cosine, &sine2, &photons, &azimuth, &wavelength, &random})
        (*row)[count] = (*row)[from];
    ++count;
  }
  /// Whether bunch k, of which the rows of light are set, is below threshold.
  [[nodiscard]] bool is_dark(std::size_t k) const { return cosine[k] > 1. || sine2[k] <= 0.; }
  /// Of beta n of those that emit light.
  [[nodiscard]] BetaRange range() const {
    if (count == 0) return {HUGE_VAL, 0., false};
    const auto [least, most] =
        std::minmax_element(beta_n.begin(), beta_n.begin() + static_cast<std::ptrdiff_t>(count));
    return {*least, *most, true};
  }
  [[nodiscard]] BunchLight operator[](std::size_t k) const {
    return {cosine[k], sine2[k], photons[k], azimuth[k], wavelength[k]};
  }
  /// Puts terms without photons behind them, for sums in lanes.
  void end() { std::fill_n(photons.data() + count, kMostLanes, 0.); }
  /// From bunch `first` on.
  [[nodiscard]] BunchYields yields(std::size_t first = 0) {
    return {cosine.data() + first, sine2.data() + first, photons.data() + first};
  }

 private:
  static constexpr std::size_t kRoom = kMaxBunches + kMostLanes;  // azimuths are drawn 100 at a time
};

/// What CERENK of option CURVED needs in addition: the Earth's radius, and two routines of CORSIKA that say
/// where and when light arrives that leaves at a zenith angle (given by its cosine) and at an apparent
/// height.
struct CurvedLight {
  double earth_radius;                            ///< cm: C(1)
  double (*distance)(double* w, double* height);  ///< horizontal, cm: DISTIP
  double (*time)(double* w, double* height);      ///< of flight, ns: TOFIP
};

/// The detection plane and the settings of the run that a step is emitted under: what CERENK knows before its
/// loop, in addition to the step itself.
struct ObservationContext {
  Plane plane;
  double two_pi;      ///< 2 pi with CORSIKA's bits: PI2
  double cut_w;       ///< C(29), or what is above 0 with UPWARD: CERENK discards light with smaller w
  bool fill_profile;  ///< whether light goes into the longitudinal distribution: LLONGI
  DepthProfile profile;
  /// Where light goes straight; else it is refracted. Of recorded steps the stage sets begin, end and length.
  std::optional<UnrefractedTiming> straight = {};
  std::optional<CurvedLight> curved = {};  ///< with option CURVED
  /// In builds without the IACT package, flat: CORSIKA's own detectors. Light that is counted then goes into
  /// one of two sums: by electrons (of recorded steps the stage sets this) or others. bunches: the others'.
  std::optional<DetectorGrid> grid = {};
  bool by_electron = false;
};

// The routines of CORSIKA that the Cherenkov stage calls.

/// The arguments of TELOUT, in its order: photons, weight, x, y, u, v, time, height, wavelength; with a
/// DetectorGrid the length of the light's way in its place.
using Arrival = std::array<double, 9>;

/// Routines of CORSIKA and its IACT package; replaced in tests. Those of air are in Emission, those of option
/// CURVED in CurvedLight. Lengths in cm, times in ns, heights above sea level; (u, v, w) is the direction, w
/// downwards. Its length may be a little below 1 (docs/cherenkov-bound.md).
struct Routines {
  /// RMMARD: the next n numbers of a sequence. As azimuths of light they are azimuth/(2 pi).
  void (*draw)(double* numbers, int* n, int* sequence);
  /// RAYBND: light that leaves `height` at time t in direction (u, v, w). (x, y) is where its straight line
  /// arrives; on return where the refracted light does, with (u, v, w) and t of its arrival.
  void (*refract)(double* height, double* u, double* v, double* w, double* x, double* y, double* t);
  /// TELOUT: counts a bunch that arrives at (x, y) at time t, and stores it if it hits a telescope; height is
  /// that of its emission, wavelength 0 where it is not known. What it returns is not used. With a
  /// DetectorGrid OUTPT2, which stores a bunch that hits.
  int (*collect)(Arrival& light);
  /// THCKSI: slant depth, g/cm^2, after a distance along the shower axis.
  double (*thickness)(double* distance);
  /// See fortran-bindings/include/cherenkov_iact.h: at most `most` telescopes. impact: see Plane::x_impact.
  /// Null with a DetectorGrid.
  int (*telescopes)(double* footprints, double* spheres, double* impact, int most);
  /// Where the IACT package counts the photons and bunches of the event so far; with a DetectorGrid the sums
  /// of photons, by electrons and by others (CERELE, CERHAD).
  void (*counters)(double** photons, double** bunches);
  /// The next four are this project's generator; null where the program has CORSIKA's own.
  /// RNMSKP: steps over n numbers, which count as drawn: the azimuths of a step that no telescope can see.
  void (*step_over)(const int* n, const int* sequence) = nullptr;
  /// RNMGET: seed, numbers drawn modulo 10^9, billions.
  void (*sequence_counters)(const int* sequence, int* iseed) = nullptr;
  /// RNMEXP: the whole state, as RMMAQD holds it.
  void (*sequence_state)(const int* sequence, double* u, double* c, int* indices, int* iseed) = nullptr;
  /// Numbers drawn from all sequences together.
  std::uint64_t (*drawn_in_all)() = nullptr;
  /// Bunches that hit a telescope so far, once for each telescope. Of the last two only the check calls any.
  long (*stored)() = nullptr;
};

}  // namespace cherenkov::corsika
