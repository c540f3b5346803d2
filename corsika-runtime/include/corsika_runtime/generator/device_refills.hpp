// Refills of one sequence by a device, ahead of their use. A program is linked with one of two
// implementations: device_refills_cuda.cpp, or device_refills_none.cpp where nothing of CUDA shall be in it;
// and with device_refills_opencl.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "ranmar/refills.hpp"

namespace ranmar::corsika {

/// Refills by one of the devices that this process sees.
struct DeviceRefills {
  int device;                    ///< from 0
  std::shared_ptr<void> pinned;  ///< destroyed after `refills`, which wait for copies to that memory
  std::unique_ptr<Refills<Form48>> refills;  ///< throw std::exception, with one line that says what failed
};

/// Starts refills of the sequence at `start` into the memory [pool, pool + numbers), which is pinned
/// meanwhile. `device` is RANMAR_DEVICE: a number, or "auto". Throws std::runtime_error, with the reason in
/// one line, where there is no device, or none in this program.
std::unique_ptr<DeviceRefills> start_device_refills(const State<Form48>& start, double* pool,
                                                    std::size_t numbers, const std::string& device);

/// The same by an OpenCL device; into any memory. `device` counts those of ranmar::opencl::devices(); "auto"
/// takes no CPU if there is another device.
std::unique_ptr<DeviceRefills> start_opencl_refills(const State<Form48>& start, const std::string& device);

}  // namespace ranmar::corsika
