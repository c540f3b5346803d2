// What goes wrong on a CUDA or an OpenCL device, told so that a caller can go on without it.
#pragma once

#include <stdexcept>
#include <string>

#include "ranmar/export.h"

namespace ranmar::cuda {

enum class RANMAR_API Fault {
  kNoDriver,     ///< no driver, or one too old for this library
  kNoDevice,     ///< no device, or no such device
  kOutOfMemory,  ///< on the device, or of memory that can be pinned
  kLaunch,       ///< a kernel could not be started
  kCopy,         ///< a copy between device and host could not be started
  kLost,         ///< the device stopped working; nothing more can be had of it in this process
  kOther,
};

/// A call of CUDA or OpenCL that failed. what() is one line that names the call and the reason. Sequences are
/// not harmed: the state before the first number that was not delivered is always known on the host.
class RANMAR_API Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& what) : std::runtime_error(what), fault_(fault) {}
  [[nodiscard]] Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace ranmar::cuda
