// Keeps work that CORSIKA itself does not do, such as measuring refraction, from being seen in its
// floating-point flags (which gfortran reports at the end of a program), and from being stopped where it
// traps exceptions.
#pragma once

#include <cfenv>

namespace cherenkov::corsika {

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
