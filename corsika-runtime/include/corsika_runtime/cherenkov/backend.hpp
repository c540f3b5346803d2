// What CHERENKOV_BACKEND asks for. Reads the environment, touches nothing else.
#pragma once

namespace cherenkov::corsika {

enum class RequestedBackend {
  kOff,     // off: CORSIKA's own code
  kCpu,     // cpu, or unset or empty
  kDevice,  // gpu
  kAuto     // auto: a device once there were so many steps that one pays, the CPU until then
};

// Read once, at the first call. Throws std::invalid_argument, with one line that says what can be given,
// where CHERENKOV_BACKEND is anything else.
RequestedBackend requested_backend();

}  // namespace cherenkov::corsika
