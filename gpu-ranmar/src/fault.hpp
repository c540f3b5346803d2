// Failures on demand, for tests of what is done about them. The installed library has no_fault.cpp instead,
// unless RANMAR_FAULTS=ON.
#pragma once

namespace ranmar {

enum class Injected { kNone, kNoDriver, kNoDevice, kOutOfMemory, kLaunch, kCopy, kLost };

/// Counts a refill, from 1 on in this process, and says which fault the environment variable RANMAR_FAULT
/// asks for at it: no-driver, no-device, out-of-memory, launch, copy or lost, a colon, and the refill's
/// number. Throws std::invalid_argument where the variable cannot be read.
Injected next_refill();

}  // namespace ranmar
