// Refills by a CUDA device: start_device_refills of a program that is linked with CUDA.
#include <cuda_runtime_api.h>

#include "corsika_runtime/generator/device_refills.hpp"
#include "ranmar/cuda/stream.hpp"

namespace ranmar::corsika {

int device_of_process(const std::string& asked) {
  static const int device = [&] {
    std::string why;
    const int count = cuda::device_count(&why);
    if (count == 0) throw cuda::Error(why);
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
      std::array<char, 32> bus{};
      names.push_back(cudaDeviceGetPCIBusId(bus.data(), bus.size(), i) == cudaSuccess ? bus.data()
                                                                                      : std::to_string(i));
    }
    return choose_device(asked, names);
  }();
  return device;
}

std::unique_ptr<DeviceRefills> start_device_refills(const State<Form48>& start, double* pool,
                                                    std::size_t numbers, const std::string& device) {
  const int number = device_of_process(device);
  auto refills = std::make_unique<cuda::Stream<Form48>>(start, number);
  auto pinned = std::make_shared<cuda::Pinned>(pool, numbers * sizeof(double), number);
  return std::unique_ptr<DeviceRefills>(new DeviceRefills{number, std::move(pinned), std::move(refills)});
}

}  // namespace ranmar::corsika
