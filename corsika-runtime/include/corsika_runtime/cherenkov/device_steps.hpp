// Batches of recorded steps, planned on a device while CORSIKA goes on: which of them no telescope can see,
// and what their light adds to the sums. A program is linked with one of two implementations:
// device_steps_cuda.cu, or device_steps_none.cpp where nothing of CUDA shall be in it.
#pragma once

#include <memory>
#include <string>

#include "cherenkov/curved_judge.hpp"
#include "corsika_runtime/cherenkov/step_plan.hpp"

namespace cherenkov::corsika {

inline constexpr int kDeviceSteps = 16384;  ///< steps of a device's batch, at most
inline constexpr int kDeviceChunks = kDeviceSteps / kChunkSteps;

/// All functions but the destructor throw std::exception, with one line that says what failed; afterwards the
/// object can only be destroyed. Of one thread at a time, which may be another than the one that made it.
class DeviceSteps {
 public:
  virtual ~DeviceSteps() = default;

  /// Later steps are of this event. Copies what is pointed to. Precondition: at most 32767 bins.
  virtual void begin_event(const EventView& event) = 0;
  virtual void begin_event(const CurvedEventView& event) = 0;

  /// Answers the first `count` (1 to kDeviceSteps) steps of `chunks`, and sleeps meanwhile. What it returns
  /// stays until the next call. Precondition: `chunks` is in the memory that the object was started with.
  /// total_power: power_of_sum() of the event's photons; bin_powers[b]: the same of bin b, [1] to [bins].
  virtual std::span<const StepAnswer> answer(const RecordedSteps* chunks, int count, double total_power,
                                             const double* bin_powers) = 0;
  /// The same of an event with option CURVED. No answer is kNone or kDetailed.
  virtual std::span<const StepAnswer> answer(const CurvedLoop* loops, int count, double total_power,
                                             const double* bin_powers) = 0;
};

/// Starts a device. device: the value of RANMAR_DEVICE, a number or "auto"; if a device makes this process's
/// random numbers, that device is taken, also for "auto". memory: holds the chunks, or loops, of all batches.
/// It is pinned while the object lives, and must outlive it. Throws std::runtime_error, with the reason in
/// one line, if there is no device, or the program was linked with device_steps_none.cpp.
std::unique_ptr<DeviceSteps> start_device_steps(const std::string& device, std::span<std::byte> memory);

}  // namespace cherenkov::corsika
