// Batches of segments of steps, chosen among on a device while CORSIKA goes on. A program is linked with one
// of two implementations: device_batches_cuda.cpp, or device_batches_none.cpp where nothing of CUDA shall be
// in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cherenkov/batch.hpp"
#include "ranmar/state.hpp"

namespace cherenkov::corsika {

inline constexpr int kBatchSegments = 16384;
/// Numbers of an event that one batch spans, with those of steps in between that are not in it.
inline constexpr std::uint64_t kBatchNumbers = std::uint64_t{1} << 20;

/// Two batches: one is filled while the other is chosen among. All functions but the destructor throw
/// std::exception, with one line that says what failed; afterwards the object can only be destroyed, and
/// until then segments() that were handed out stay.
class DeviceBatches {
 public:
  DeviceBatches() = default;
  DeviceBatches(const DeviceBatches&) = delete;
  DeviceBatches& operator=(const DeviceBatches&) = delete;
  virtual ~DeviceBatches() = default;

  /// A new event, whose azimuths begin with the next number of `start`: position 0. None of the batches is
  /// under way.
  virtual void begin_event(const ranmar::State<ranmar::Form48>& start, const ArrayGeometry& geometry) = 0;

  /// Room for kBatchSegments of the batch to be filled.
  virtual StepSegment* segments() = 0;

  /// Starts on the first n segments (1 to kBatchSegments) of the batch, which need numbers [first, end) of
  /// the event; positions rise from batch to batch, by any amount, and end - first is at most kBatchNumbers.
  /// segments() then is the other batch.
  virtual void submit(int n, std::uint64_t first, std::uint64_t end) = 0;

  /// Sleeps until the older batch under way is done. Its chosen, in order; false where it cannot tell.
  virtual bool wait(std::vector<CandidateBunch>& chosen) = 0;

  /// One word or some for the summary.
  [[nodiscard]] virtual std::string name() const = 0;
};

/// `device` is RANMAR_DEVICE: a number, or "auto"; the same that makes this process's numbers, if one does.
/// Throws std::runtime_error, with the reason in one line, where there is no device, or none in this program.
std::unique_ptr<DeviceBatches> start_device_batches(const std::string& device);

}  // namespace cherenkov::corsika
