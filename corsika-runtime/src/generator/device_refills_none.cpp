// start_device_refills of a program that is linked with nothing of CUDA.

#include "corsika_runtime/generator/device_refills.hpp"

namespace ranmar::corsika {

std::unique_ptr<DeviceRefills> start_device_refills(const State<Form48>& /*start*/, double* /*pool*/,
                                                    std::size_t /*numbers*/, const std::string& /*device*/) {
  throw std::runtime_error("this program was built without CUDA; build it with --gpu on");
}

}  // namespace ranmar::corsika
