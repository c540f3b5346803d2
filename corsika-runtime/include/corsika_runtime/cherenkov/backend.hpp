// What CHERENKOV_BACKEND asks for. Reads the environment, touches nothing else.
#pragma once

#include <string_view>

namespace cherenkov::corsika {

enum class RequestedBackend {
  kOff,     ///< off: CORSIKA's own code
  kCpu,     ///< cpu, or unset or empty
  kDevice,  ///< gpu
  kAuto     ///< auto: a device after so many steps that one saves time, the CPU until then
};

/// Throws std::invalid_argument, with one line that says what can be given, where `name` is none of these.
RequestedBackend backend_of(std::string_view name);

/// The value of CHERENKOV_BACKEND, read once, at the first call. Throws as backend_of.
RequestedBackend requested_backend();

}  // namespace cherenkov::corsika
