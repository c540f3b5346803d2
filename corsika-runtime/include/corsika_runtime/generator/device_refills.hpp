// Refills of one sequence by a device, ahead of their use. A program is linked with one of two
// implementations: device_refills_cuda.cpp, or device_refills_none.cpp where nothing of CUDA shall be in it;
// and with device_refills_opencl.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ranmar/state.hpp"

namespace ranmar::corsika {

/// Delivers the numbers of one sequence to host memory, in order, several refills in flight. Everything but
/// the states throws std::exception, with one line that says what failed; afterwards only states can be asked
/// for.
class DeviceRefills {
 public:
  DeviceRefills() = default;
  DeviceRefills(const DeviceRefills&) = delete;
  DeviceRefills& operator=(const DeviceRefills&) = delete;
  /// Returns when nothing writes to the caller's memory any more.
  virtual ~DeviceRefills() = default;

  /// Asks for the next n numbers in out[0..n), and returns.
  virtual void ask(double* out, std::size_t n) = 0;

  /// Sleeps until the oldest refill that was asked for is there; false where it was there already.
  virtual bool wait() = 0;

  /// Which of the devices that this process sees, from 0.
  [[nodiscard]] virtual int device() const = 0;

  /// The state of number `position`, counted from 0 at the start.
  [[nodiscard]] virtual State<Form48> state_at(std::uint64_t position) const = 0;
};

/// Starts refills of the sequence at `start` into the memory [pool, pool + numbers), which is pinned
/// meanwhile. `device` is RANMAR_DEVICE: a number, or "auto". Throws std::runtime_error, with the reason in
/// one line, where there is no device, or none in this program.
std::unique_ptr<DeviceRefills> start_device_refills(const State<Form48>& start, double* pool,
                                                    std::size_t numbers, const std::string& device);

/// The same by an OpenCL device; into any memory. `device` counts those of ranmar::opencl::devices(); "auto"
/// takes no processor where there is another device.
std::unique_ptr<DeviceRefills> start_opencl_refills(const State<Form48>& start, const std::string& device);

}  // namespace ranmar::corsika
