// Light whose bunches a device chooses among, batch by batch, and which is followed to the ground later, in
// order.
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

// A bunch as CERENK hands it to RAYBND, in the telescopes' frame.
struct Bunch {
  double photons;
  double x, y;     // where a straight line arrives, cm
  double u, v, w;  // direction, w downwards
  double height;   // of emission, cm above sea level
  double time;     // of emission, s
};

class Deferred {
 public:
  // What is done with light that may hit, in CORSIKA's order: the chosen of one stretch, by bunch; or a bunch
  // of CORSIKA's own loop.
  struct Follow {
    std::function<void(const Stretch&, std::span<const Chosen>)> chosen;
    std::function<void(const Bunch&)> bunch;
  };

  Deferred(std::unique_ptr<DeviceBatches> device, Follow follow)
      : device_(std::move(device)), follow_(std::move(follow)) {}

  // False once the device has failed: one line on standard error has said so. What it had to do is done on
  // the CPU then, and what is added from there on is, too.
  [[nodiscard]] bool works() const { return device_ != nullptr; }

  // A new event, or scene; nothing may be waiting. start: state of the sequence that azimuths are drawn from.
  void begin(const ranmar::State<ranmar::Form48>& start, Scene scene);

  // A stretch whose azimuths are numbers [stretch.azimuth, stretch.azimuth + stretch.bunches) since begin(),
  // at most kBatchNumbers; positions rise from one to the next.
  void add(const Stretch& stretch);

  // A bunch of CORSIKA's own loop that is to be followed behind all that was added before.
  void add(const Bunch& bunch);

  // Follows all that waits.
  void flush();

  // Whether anything waits.
  [[nodiscard]] bool waits() const {
    return !under_way_.empty() || filling_.count > 0 || !filling_.bunches.empty();
  }

  // Given to the device, and how long it was waited for.
  [[nodiscard]] std::uint64_t batches() const { return batches_; }
  [[nodiscard]] double wait_seconds() const { return wait_seconds_; }

 private:
  struct Batch {
    Stretch* stretches = nullptr;
    int count = 0;
    std::uint64_t first = 0, end = 0;            // of numbers
    std::vector<std::pair<int, Bunch>> bunches;  // each behind so many of the stretches
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
  Scene scene_;
  Batch filling_;
  std::deque<Batch> under_way_;  // oldest first
  std::vector<Chosen> chosen_;
  std::vector<Stretch> own_;  // batches where there is no device
  std::uint64_t batches_ = 0;
  double wait_seconds_ = 0.;
};

}  // namespace cherenkov::corsika
