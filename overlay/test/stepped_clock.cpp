// In place of the C library's time(): the machine's clock and a step.
#include "stepped_clock.hpp"

#include <atomic>

namespace overlay {
namespace {

std::atomic<std::time_t> clock_step_s{0};

}  // namespace

void SteppedClock::step(std::time_t step_s) { clock_step_s = step_s; }

std::time_t stepped_time() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec + clock_step_s;
}

}  // namespace overlay

extern "C" std::time_t time(std::time_t* out) noexcept {
  const std::time_t now = overlay::stepped_time();
  if (out != nullptr) *out = now;
  return now;
}
