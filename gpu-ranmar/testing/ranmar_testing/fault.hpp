// Failures of a device on demand, for tests of what is done about them: in the device tests, and in a library
// that was configured with RANMAR_FAULTS=ON. The library calls inject() at each refill, which else does
// nothing.
#pragma once

#include "ranmar/refills.hpp"

namespace ranmar {

/// Counts a refill, from 1 on in this process, and does what the environment variable RANMAR_FAULT asks for
/// at it: no-driver, no-device, out-of-memory, launch, copy or lost, a colon, and the refill's number. True
/// for `lost`, after which the device must fail; throws cuda::Error for another kind, and
/// std::invalid_argument where the variable cannot be read.
bool loses_device();

}  // namespace ranmar
