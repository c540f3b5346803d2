// What CERENK knows before its loop, in addition to the step.
#pragma once

#include <optional>

#include "cherenkov/step.hpp"
#include "corsika_runtime/cherenkov/depth_profile.hpp"
#include "corsika_runtime/cherenkov/lit_bunches.hpp"

namespace cherenkov::corsika {

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
  double cut_w;       ///< C(29), from CORSIKA's angular cut: light with smaller w is discarded, as in CERENK
  bool fill_profile;  ///< whether light goes into the longitudinal distribution: LLONGI
  DepthProfile profile;
  /// Where light goes straight; else it is refracted. Of recorded steps the stage sets begin, end and length.
  std::optional<UnrefractedTiming> straight = {};
  std::optional<CurvedLight> curved = {};  ///< with option CURVED
};

// The routines of CORSIKA that the Cherenkov stage calls.

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
  /// that of its emission, wavelength 0 where it is not known. What it returns is not used.
  int (*collect)(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
                 double* height, double* wavelength);
  /// THCKSI: slant depth, g/cm^2, after a distance along the shower axis.
  double (*thickness)(double* distance);
  /// See fortran-bindings/include/cherenkov_iact.h: at most `most` telescopes. impact: see Plane::x_impact.
  int (*telescopes)(double* footprints, double* spheres, double* impact, int most);
  /// Where the IACT package counts the photons and bunches of the event so far.
  void (*counters)(double** photons, double** bunches);
  /// The next three are this project's generator; null where the program has CORSIKA's own.
  /// RNMSKP: steps over n numbers, which count as drawn: the azimuths of a step that no telescope can see.
  void (*step_over)(const int* n, const int* sequence) = nullptr;
  /// RNMGET: seed, numbers drawn modulo 10^9, billions.
  void (*sequence_counters)(const int* sequence, int* iseed) = nullptr;
  /// RNMEXP: the whole state, as RMMAQD holds it.
  void (*sequence_state)(const int* sequence, double* u, double* c, int* indices, int* iseed) = nullptr;
};

}  // namespace cherenkov::corsika
