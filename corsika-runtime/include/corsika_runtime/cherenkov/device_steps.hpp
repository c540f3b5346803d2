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

#include "cherenkov/refraction_model.hpp"
#include "cherenkov/running_sum.hpp"
#include "cherenkov/spheres.hpp"
#include "cherenkov/spheres_view.hpp"
#include "corsika_runtime/cherenkov/curved_arrival.hpp"
#include "corsika_runtime/cherenkov/curved_step.hpp"
#include "corsika_runtime/cherenkov/depth_profile.hpp"
#include "corsika_runtime/cherenkov/exponential_air.hpp"
#include "corsika_runtime/cherenkov/index_table.hpp"
#include "corsika_runtime/cherenkov/step_plan.hpp"

namespace cherenkov::corsika {

inline constexpr int kDeviceSteps = 16384;  ///< steps of a device's batch, at most
inline constexpr int kDeviceChunks = kDeviceSteps / kChunkSteps;
inline constexpr int kDeviceStepsAhead = 3;  ///< batches, not steps, that can be under way at a time
/// Steps of more bunches are left to the host.
inline constexpr int kMaxDeviceBunches = 2048;

/// A chunk of recorded steps with their refractive indices, where CORSIKA's thread and the helper leave them
/// and the device reads them.
struct StepChunk {
  alignas(64) RecordedSteps steps;
  StepIndices indices;
};

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

using cherenkov::power_of_sum;

/// What the photons of a step's bunches, added one by one, add to a sum: each rounded to a multiple of the
/// ulp of the sum's power of two, and these added up, exactly. at_power: for the power given to submit();
/// at_twice: for twice that. Not a number where the result is not certain: a term is half-way between two
/// multiples, for example.
struct SumTerms {
  double at_power, at_twice;

  /// `sum` after the addition, one by one, of the step's photons; not a number where it is not known here.
  /// power: as given to submit(). As long as a sum stays within [p, 2p), p a power of two, it is a multiple
  /// of ulp(p), and adding a term adds that term's rounded value, whatever the sum is; all of that is exact.
  [[nodiscard]] double added_to(double sum, double power) const {
    const double own = power_of_sum(sum);
    if (own == 0. || (own != power && own != 2. * power)) return std::numeric_limits<double>::quiet_NaN();
    const double all = sum + (own == power ? at_power : at_twice);
    return all < 2. * own ? all : std::numeric_limits<double>::quiet_NaN();
  }
};

enum class Verdict : std::int8_t {
  kHost,    ///< the CPU does the step: none of the following is certain
  kNone,    ///< CERENK returns without light
  kUnseen,  ///< LightKind::kLinear, bounds hold, no sphere touched, all light in one bin of the profile
  /// LightKind::kLinear, and bounds hold, but the light may touch a sphere, or is in two neighbouring bins,
  /// or both. The CPU finishes the step with StepDetails.
  kDetailed
};

struct StepAnswer {
  // Of kUnseen and kDetailed:
  SumTerms total, in_bin;  ///< for the event's photons, for those of the bunches that are surely in `bin`
  std::int32_t bunches;
  std::int16_t bin;  ///< from 1 on; of two the one of the first bunches; 0 where no profile is filled
  Verdict verdict;
};

/// What the CPU needs for a step of kDetailed. The members of Step have CERENK's bits; the number of bunches
/// is in StepAnswer, and the times are in the chunk. Lengths in cm.
struct StepDetails {
  static constexpr int kSectors = SpheresView::kSectors;
  /// Bit i is set if a telescope may see light whose azimuth (phi of Step's frame) over 2 pi is from
  /// i / kSectors to (i + 1) / kSectors.
  std::uint64_t sectors;
  double path_before, x_before, y_before, z_before;  ///< of Step::before
  double path, x, y, z;                              ///< of Step::between
  double beta_n, beta_n_slope, photons_per_sin2;
  double u, v, w;        ///< the particle's direction, w downwards
  SumTerms in_next_bin;  ///< for the photons of the bunches that are surely in `next_bin`
  /// Bunches are numbered from 0. Those below bin_end are surely in StepAnswer::bin, those from next_begin on
  /// in `next_bin`. Each of those between is in either bin, or in both. In one bin, or none: bin_end and
  /// next_begin are the number of bunches, and next_bin is 0.
  std::int16_t bin_end, next_begin, next_bin;
};

/// A batch that is done.
struct AnsweredSteps {
  std::span<const StepAnswer> answers;
  std::span<const StepDetails> details;  ///< as many, set where the answer is kDetailed; with CURVED none
  double total_power;                    ///< as it was submitted
  const double* bin_powers;              ///< as they were submitted, [1] to [bins]
};

/// Up to kDeviceStepsAhead batches under way. All functions but the destructor throw std::exception, with one
/// line that says what failed; afterwards the object can only be destroyed. Of one thread at a time, which
/// may be another than the one that made it.
class DeviceSteps {
 public:
  DeviceSteps() = default;
  DeviceSteps(const DeviceSteps&) = delete;
  DeviceSteps& operator=(const DeviceSteps&) = delete;
  virtual ~DeviceSteps() = default;

  /// Later batches are of this event. Precondition: no batch is under way; at most 32767 bins.
  virtual void begin_event(const EventSettings& settings) = 0;
  virtual void begin_event(const CurvedEventSettings& settings) = 0;

  /// Starts a batch: the first `count` (1 to kDeviceSteps) steps of `chunks`. Precondition: `chunks` is in
  /// the memory that the object was started with and is not changed until the batch is done; fewer than
  /// kDeviceStepsAhead batches are under way. total_power: power_of_sum() of the event's photons;
  /// bin_powers[b]: the same of bin b, [1] to [bins], copied.
  virtual void submit(const StepChunk* chunks, int count, double total_power, const double* bin_powers) = 0;
  /// The same of an event with option CURVED. No answer is kNone.
  virtual void submit(const CurvedLoop* loops, int count, double total_power, const double* bin_powers) = 0;

  /// Sleeps until the oldest batch under way is done. Precondition: there is one. What it returns stays until
  /// the next submit() or begin_event().
  virtual AnsweredSteps wait() = 0;

  [[nodiscard]] virtual int under_way() const = 0;

  /// Name of the device, one word or some, for the summary.
  [[nodiscard]] virtual std::string name() const = 0;
};

/// Starts a device. device: the value of RANMAR_DEVICE, a number or "auto"; if a device makes this process's
/// random numbers, that device is taken, also for "auto". memory: holds the chunks, or loops, of all batches.
/// It is pinned while the object lives, and must outlive it. Throws std::runtime_error, with the reason in
/// one line, if there is no device, or the program was linked with device_steps_none.cpp.
std::unique_ptr<DeviceSteps> start_device_steps(const std::string& device, std::span<std::byte> memory);

}  // namespace cherenkov::corsika
