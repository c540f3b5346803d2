// Light whose bunches a device chooses among, batch by batch, and which is followed to the ground later, in
// CORSIKA's order. Calls the device and the given functions; where the device fails it does the same work on
// the CPU.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "corsika_runtime/cherenkov/device_batches.hpp"

namespace cherenkov::corsika {

/// A bunch as CERENK hands it to RAYBND, in the telescopes' frame.
struct Bunch {
  double photons;
  double x, y;     ///< where a straight line arrives, cm
  double u, v, w;  ///< direction, w downwards
  double height;   ///< of emission, cm above sea level
  double time;     ///< of emission, ns
};

/// A queue of batches, at most two of them at the device: one is filled while the other is chosen among.
/// Bunches of CORSIKA's own loop stand in the same queue, behind the light that was emitted before them. The
/// functions throw what `follow` throws, and std::bad_alloc.
class DeferredLight {
 public:
  /// What is done with light that may hit, in CORSIKA's order: the chosen of one segment, by bunch; or a
  /// bunch of CORSIKA's own loop.
  struct Follow {
    std::function<void(const StepSegment&, std::span<const CandidateBunch>)> chosen;
    std::function<void(const Bunch&)> bunch;
  };

  DeferredLight(std::unique_ptr<DeviceBatches> device, Follow follow)
      : device_(std::move(device)), follow_(std::move(follow)) {}

  /// False once the device has failed: one line on standard error has said so. What it had to do is done on
  /// the CPU then, and what is added from there on is, too.
  [[nodiscard]] bool works() const { return device_ != nullptr; }

  /// A new event, or geometry; nothing may be pending. start: state of the sequence that azimuths are drawn
  /// from.
  void begin(const ranmar::State<ranmar::Form48>& start, ArrayGeometry geometry);

  /// A segment whose azimuths are numbers [segment.first_azimuth_number, segment.first_azimuth_number +
  /// segment.bunches) since begin(), at most kBatchNumbers; positions rise from one to the next.
  void add(const StepSegment& segment);

  /// A bunch of CORSIKA's own loop that is to be followed behind all that was added before.
  void add(const Bunch& bunch);

  /// Follows all pending light.
  void flush();

  /// Whether light was added that is not yet followed.
  [[nodiscard]] bool has_pending() const {
    return !under_way_.empty() || filling_.count > 0 || !filling_.bunches.empty();
  }

  /// Given to the device, and how long it was waited for.
  [[nodiscard]] std::uint64_t batches() const { return batches_; }
  [[nodiscard]] double wait_seconds() const { return wait_seconds_; }

 private:
  struct Batch {
    StepSegment* segments = nullptr;
    int count = 0;
    std::uint64_t first = 0, end = 0;            // of numbers
    std::vector<std::pair<int, Bunch>> bunches;  // each behind so many of the segments
    bool submitted = false;                      // to the device
  };

  void submit();
  void retire_oldest();
  void follow(const Batch& batch);
  void choose_here(const Batch& batch);
  template <class Work>
  void on_device(Work&& work);

  std::unique_ptr<DeviceBatches> device_, failed_;
  Follow follow_;
  ranmar::State<ranmar::Form48> start_;
  ArrayGeometry geometry_;
  Batch filling_;
  std::deque<Batch> under_way_;  // oldest first
  std::vector<CandidateBunch> candidates_;
  std::vector<StepSegment> own_;  // batches where there is no device
  std::uint64_t batches_ = 0;
  double wait_seconds_ = 0.;
};

}  // namespace cherenkov::corsika
