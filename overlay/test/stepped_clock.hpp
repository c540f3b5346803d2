// A clock that tests can set: time(), as the whole test program calls it. Changes nothing of the machine's
// clock.
#pragma once

#include <ctime>

namespace overlay {

/// While it lives, time() is `step_s` seconds ahead of the machine's clock; behind it, where that is
/// negative.
class SteppedClock {
 public:
  explicit SteppedClock(std::time_t step_s) { step(step_s); }
  ~SteppedClock() { step(0); }
  SteppedClock(const SteppedClock&) = delete;
  SteppedClock& operator=(const SteppedClock&) = delete;
  static void step(std::time_t step_s);
};

}  // namespace overlay
