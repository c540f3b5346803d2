// Where nothing of CUDA shall be in the program.
#include <stdexcept>

#include "corsika_runtime/cherenkov/device_steps.hpp"

namespace cherenkov::corsika {

std::unique_ptr<DeviceSteps> start_device_steps(const std::string& /*device*/,
                                                std::span<std::byte> /*memory*/) {
  throw std::runtime_error("this program was built without CUDA");
}

}  // namespace cherenkov::corsika
