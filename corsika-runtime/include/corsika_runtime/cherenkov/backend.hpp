// What CHERENKOV_BACKEND and CHERENKOV_THREADS ask for. Reads the environment. No side effects.
#pragma once

#include <cstdint>
#include <string_view>

namespace cherenkov::corsika {

enum class RequestedBackend {
  kOff,     ///< off: CORSIKA's own code
  kCpu,     ///< cpu or auto, or unset or empty
  kDevice,  ///< gpu
  /// check, check-gpu (with a device), check:N: CORSIKA and the stage both do every step, or every Nth chunk
  /// of recorded steps, and what they did is compared.
  kCheck
};

/// Throws std::invalid_argument, with one line that says what can be given, where `name` is none of these.
RequestedBackend backend_of(std::string_view name);

/// The value of CHERENKOV_BACKEND, read once, at the first call. Throws as backend_of.
RequestedBackend requested_backend();

/// Whether a device is asked for: gpu, check-gpu.
bool is_device_requested();

/// N of check:N, 1 for check and check-gpu. Throws std::invalid_argument where `name` asks for no check, or N
/// is no number from 1 to 10^9.
std::uint64_t check_interval_of(std::string_view name);

/// check_interval_of the value of CHERENKOV_BACKEND.
std::uint64_t check_interval();

/// The number of helper threads that a value of CHERENKOV_THREADS asks for: 0 or 1; empty is 0. Throws
/// std::invalid_argument, with one line that says what can be given, where it is something else.
int helper_threads_of(std::string_view value);

/// helper_threads_of the value of CHERENKOV_THREADS.
int helper_threads();

/// Whether CHERENKOV_UNPROVEN lifts the hold on a stage that nobody has proven on the tree of this program:
/// set to anything but 0 or empty.
bool unproven_allowed();

}  // namespace cherenkov::corsika
