// Numbers of one sequence made on a device and delivered to host memory, ahead of their use: what the streams
// of CUDA and of OpenCL share. Header only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "ranmar/state.hpp"

namespace ranmar::cuda {

/// A call of CUDA or OpenCL that failed. what() is one line that names the call and the reason. Sequences are
/// not harmed: the state before the first number that was not delivered is always known on the host.
class RANMAR_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ranmar::cuda

namespace ranmar {

/// What a device does for Refills. Its destructor returns when nothing writes to the caller's memory any
/// more.
template <class Form>
class RANMAR_API RefillDevice {
 public:
  using Event = std::shared_ptr<void>;
  virtual ~RefillDevice() = default;
  /// Has the next n numbers made and copied to `out`, and returns the event of their delivery.
  virtual Event ask(typename Form::Real* out, std::size_t n) = 0;
  /// Sleeps until `delivered` has happened. Throws where the device has failed.
  virtual void wait_for(const Event& delivered) = 0;
  /// True where wait_for() would not sleep.
  [[nodiscard]] virtual bool is_over(const Event& delivered) const = 0;
};

/// Refills of one sequence. A refill makes the next n numbers on the device and copies them to host memory.
/// Several may be in flight; they are delivered in order, bit for bit what `fill_reference` makes.
///
/// Functions throw cuda::Error. Whatever happened, state() then tells the state before the first number that
/// was not delivered, so that another backend can go on there; the object can be asked for states and
/// destroyed, no more, and the memory of refills that were not waited for holds anything. Not thread-safe;
/// different objects may be used by different threads.
template <class Form>
class RANMAR_API Refills {
 public:
  /// Numbers from `start` on, which `device` makes.
  Refills(const State<Form>& start, std::unique_ptr<RefillDevice<Form>> device)
      : start_(start), device_(std::move(device)) {}
  virtual ~Refills() = default;

  /// Asks for the next n numbers in out[0..n), and returns. `out` must stay, and not be touched, until wait()
  /// has returned for this refill, or the object is gone. A null pointer is std::invalid_argument where n is
  /// not 0; the object is then as before.
  void refill(typename Form::Real* out, std::size_t n) {
    if (n > 0 && out == nullptr) throw std::invalid_argument("out is a null pointer");
    if (failed_) throw cuda::Error("refill: this stream has failed before");
    failed_ = true;  // cleared below if ask() does not throw
    in_flight_.emplace_back(n, device_->ask(out, n));
    failed_ = false;
  }

  /// Sleeps until the oldest refill in flight is delivered. Nothing where none is in flight.
  void wait() {
    if (in_flight_.empty()) return;
    const bool failed_before = std::exchange(failed_, true);  // cleared below if wait_for() does not throw
    device_->wait_for(in_flight_.front().second);
    failed_ = failed_before;
    delivered_ += in_flight_.front().first;
    in_flight_.pop_front();
  }

  /// True where wait() would not sleep.
  [[nodiscard]] bool ready() const {
    return in_flight_.empty() || device_->is_over(in_flight_.front().second);
  }
  [[nodiscard]] std::size_t in_flight() const { return in_flight_.size(); }

  /// Numbers of the refills that were waited for.
  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }

  /// The state before number delivered(), the first that was not delivered: a jump on the host, under a
  /// millisecond.
  [[nodiscard]] State<Form> state() const { return state_at(delivered_); }

  /// The state before a number of the stream, counted from 0 at `start`; up to 2^63-1.
  [[nodiscard]] State<Form> state_at(std::uint64_t position) const {
    return detail::jumped(start_, static_cast<std::int64_t>(position));
  }

 private:
  State<Form> start_;
  std::unique_ptr<RefillDevice<Form>> device_;
  std::deque<std::pair<std::size_t, typename RefillDevice<Form>::Event>> in_flight_;
  std::uint64_t delivered_ = 0;
  bool failed_ = false;
};

}  // namespace ranmar
