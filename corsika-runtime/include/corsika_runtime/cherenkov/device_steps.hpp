// Batches of recorded steps, planned on a device while CORSIKA goes on: which of them no telescope can see,
// and what their light adds to the sums. A program is linked with one of two implementations:
// device_steps_cuda.cu, or device_steps_none.cpp where nothing of CUDA shall be in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "cherenkov/curved_judge.hpp"
#include "corsika_runtime/cherenkov/curved_arrival.hpp"
#include "corsika_runtime/cherenkov/curved_step.hpp"
#include "corsika_runtime/cherenkov/depth_profile.hpp"
#include "corsika_runtime/cherenkov/index_table.hpp"
#include "corsika_runtime/cherenkov/step_plan.hpp"

namespace cherenkov::corsika {

inline constexpr int kDeviceSteps = 16384;  ///< steps of a device's batch, at most
inline constexpr int kDeviceChunks = kDeviceSteps / kChunkSteps;

/// What all steps of an event share. begin_event() copies what is pointed to.
struct EventSettings {
  PlanSettings plan;  ///< the plane with this event's impact_offset (Plane::x_impact)
  const Spheres* spheres;
  const RefractionModel* refraction;  ///< from the plane's height up
  /// Of DepthProfile::Kind::kSlant: edge[0] to edge[bins], rising. bins: 0 where no profile is filled.
  const double* edge;
  int bins;
  /// Null where the indices of all steps are in the chunks. Else they are not read, and a step that emits
  /// light and whose index is not certain is the CPU's.
  const IndexTable* indices = nullptr;
};

/// The same with option CURVED.
struct CurvedEventSettings {
  double cut_w;  ///< as in Emission
  Plane plane;   ///< with this event's impact_offset; x0 and y0 are 0, as XOFF and YOFF are not used
  ShowerAxis axis;
  double earth_radius;  ///< cm
  const Spheres* spheres;
  const CurvedArrival* arrival;
  const ExponentialAir* air;  ///< not null
  /// Of DepthProfile::curved_bins(): [0] is of bin 1. bins: 0 where no profile is filled.
  const DistanceRange* bin;
  int bins;
};

/// All functions but the destructor throw std::exception, with one line that says what failed; afterwards the
/// object can only be destroyed. Of one thread at a time, which may be another than the one that made it.
class DeviceSteps {
 public:
  DeviceSteps() = default;
  DeviceSteps(const DeviceSteps&) = delete;
  DeviceSteps& operator=(const DeviceSteps&) = delete;
  virtual ~DeviceSteps() = default;

  /// Later steps are of this event. Precondition: at most 32767 bins.
  virtual void begin_event(const EventSettings& settings) = 0;
  virtual void begin_event(const CurvedEventSettings& settings) = 0;

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
