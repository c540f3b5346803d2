// The Cherenkov stage of CORSIKA: takes over the loop over a step's bunches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cherenkov/bend.hpp"
#include "cherenkov/bunches.hpp"
#include "cherenkov/ring.hpp"
#include "depth_profile.hpp"

namespace cherenkov::corsika {

// What CORSIKA's IACT package offers, and its random numbers; replaced in tests.
struct Routines {
  void (*draw)(double* numbers, int* n, int* sequence);                                            // RMMARD
  void (*bend)(double* height, double* u, double* v, double* w, double* x, double* y, double* t);  // RAYBND
  int (*collect)(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
                 double* height, double* wavelength);  // TELOUT
  double (*thickness)(double* distance);               // THCKSI
  int (*footprints)(double* x, double* y, double* half_width, double* impact, int most);
  void (*counters)(double** photons, double** bunches);
};

// Arrival times where CORSIKA does not bend light, from the depths of the step's ends.
struct StraightLight {
  double begin, end, length;    // heights of the step's ends and its length, cm: ZBEG, ZEND, STEPCR
  double index_per_density;     // ETADSN
  double depth_at_plane;        // THCKOB
  double light_speed;           // C(25), cm/s
  double (*depth_of)(double*);  // THICK
};

// What CERENK knows before its loop, beside the step itself.
struct Surroundings {
  Plane plane;
  double two_pi;        // PI2
  double least_w;       // C(29): light with a smaller w is dropped
  double sin_particle;  // of the step's zenith angle
  bool fill_profile;    // LLONGI
  DepthProfile profile;
  const StraightLight* straight = nullptr;  // null: light is bent
};

// A bunch as CERENK hands it to RAYBND, in the telescopes' frame.
struct Bunch {
  double photons;
  double x, y;     // where a straight line arrives, cm
  double u, v, w;  // direction, w downwards
  double height;   // of emission, cm above sea level
};

struct Counts {
  std::uint64_t steps = 0;        // taken over
  std::uint64_t stock_steps = 0;  // left to CORSIKA
  std::uint64_t bunches = 0;      // of the steps taken over
  std::uint64_t chosen = 0;       // of those, the ones that were followed to the ground
  std::uint64_t rings = 0;        // steps whose ring of light touches a telescope's footprint
  std::uint64_t skipped = 0;      // bunches of CORSIKA's own loop that were not followed
  std::uint64_t maps = 0;         // of the ground: one an event
};

class Stage {
 public:
  explicit Stage(const Routines& routines) : routines_(routines) {}

  // Emits the light of a step, as CERENK's loop does. False, and nothing is done, where CORSIKA must do it.
  bool emit(const Step& step, const Surroundings& around);

  // Whether a bunch of CORSIKA's own loop cannot hit, and is counted here: RAYBND and TELOUT need not be
  // asked.
  bool skip(const Bunch& bunch, double plane_height, bool straight);

  // To be told of every step that CORSIKA emits without emit() having been asked: an event is seen to be new
  // by its counters, which are zero only until its first bunch.
  void left_to_corsika();

  [[nodiscard]] const Counts& counts() const { return counts_; }
  // Why every step is left to CORSIKA; empty if it is not.
  [[nodiscard]] const std::string& refused() const { return refused_; }

 private:
  void look_for_new_event();
  void new_event(double plane_height, bool straight);
  void refuse(const std::string& why);
  bool take(const Step& step, const Surroundings& around);
  void fill_profile(const Step& step, const Surroundings& around, const Step::Point& from, int n,
                    double& total);

  Routines routines_;
  std::string refused_;
  std::optional<Bend> bend_;
  Ground ground_;
  Footprints footprints_;
  Plane plane_{};
  double impact_[2] = {0., 0.};
  double* photons_ = nullptr;  // of the event so far, in the IACT package
  double* bunches_ = nullptr;
  double bunches_seen_ = 0.;
  bool event_known_ = false;
  bool edges_known_ = false;  // of the event's depth bins
  Counts counts_;
  alignas(64) double path_[kPaddedBunches] = {};
  alignas(64) double azimuth_[kPaddedBunches] = {};
  int chosen_[kPaddedBunches] = {};
  Light light_{};
};

}  // namespace cherenkov::corsika
