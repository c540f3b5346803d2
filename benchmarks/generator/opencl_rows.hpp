// The rows of an OpenCL device.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpu_rows.hpp"

namespace bench {

/// The devices that OpenCL has, a line each; none, and the reason in one line in `why`, where it has none.
std::vector<std::string> opencl_devices(std::string& why);

/// Rows of the first of these devices, in wall time, with requests of up to `largest` numbers. Throws
/// std::exception where the device fails.
GpuRows measure_opencl(std::size_t largest, int repeats);

}  // namespace bench
