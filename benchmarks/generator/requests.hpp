// Numbers per request that every backend is measured with, on the CPU and on a device.
#pragma once

#include <cstddef>

namespace bench {

/// From a few draws of CORSIKA's to more than any cache holds.
inline constexpr std::size_t kRequests[] = {100,      1000,     10000, 100000, std::size_t{1} << 20,
                                            10000000, 100000000};

/// Largest size for numbers that stay in device memory (CUDA).
inline constexpr std::size_t kLargestOnDevice = std::size_t{1} << 28;

}  // namespace bench
