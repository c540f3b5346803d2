// The limits by which the stage classifies a step, shared by its sources. docs/cherenkov-bound.md says where
// they come from.
#pragma once

#include <cfenv>
#include <cstddef>

#include "cherenkov/step.hpp"

namespace cherenkov::corsika {

// With option CURVED: margin of the footprints when bunches are chosen, before DISTIP is called. Where
// positions may be off by more (CurvedBound::error), every bunch is emitted.
inline constexpr double kCurvedMargin_cm = 400.;
inline constexpr double kSqrt2 = 1.4142136;  // turns a bound in x and in y into a distance
inline constexpr int kCherenkovSequence = 3;
// With more spheres, looking at all of them is taken to cost more than following a bunch.
inline constexpr std::size_t kMaxFilteredSpheres = 256;

// Keeps work that CORSIKA itself does not do, such as measuring refraction, from being seen in its
// floating-point flags (which gfortran reports at the end of a program), and from being stopped where it
// traps exceptions.

// As long as one lives nothing traps; its end brings back the flags and traps that there were at its
// beginning.
class KeptFloatingPointState {
 public:
  KeptFloatingPointState() { std::feholdexcept(&state_); }
  ~KeptFloatingPointState() { std::fesetenv(&state_); }
  KeptFloatingPointState(const KeptFloatingPointState&) = delete;
  KeptFloatingPointState& operator=(const KeptFloatingPointState&) = delete;

 private:
  std::fenv_t state_;
};

}  // namespace cherenkov::corsika
