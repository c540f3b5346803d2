// Refills by a CUDA device: start_device_refills of a program that is linked with CUDA.
#include <cuda_runtime_api.h>

#include <array>
#include <vector>

#include "corsika_runtime/generator/device_choice.hpp"
#include "corsika_runtime/generator/device_refills.hpp"
#include "ranmar/cuda/error.hpp"
#include "ranmar/cuda/stream.hpp"

namespace ranmar::corsika {
namespace {

class CudaRefills final : public DeviceRefills {
 public:
  CudaRefills(const State<Form48>& start, double* pool, std::size_t numbers, int device)
      : device_(device),
        stream_(std::make_unique<cuda::Stream<Form48>>(start, device)),
        pinned_(std::make_unique<cuda::Pinned>(pool, numbers * sizeof(double), device)) {}

  ~CudaRefills() override { stream_.reset(); }  // waits for copies to the memory that is pinned

  void ask(double* out, std::size_t n) override { stream_->refill(out, n); }

  bool wait() override {
    const bool sleeps = !stream_->ready();
    stream_->wait();
    return sleeps;
  }

  [[nodiscard]] int device() const override { return device_; }

  [[nodiscard]] State<Form48> state_at(std::uint64_t position) const override {
    return stream_->state_at(position);
  }

 private:
  int device_;
  std::unique_ptr<cuda::Stream<Form48>> stream_;
  std::unique_ptr<cuda::Pinned> pinned_;
};

}  // namespace

int device_of_process(const std::string& asked) {
  static const DeviceClaim claim = [&] {
    std::string why;
    const int count = cuda::device_count(&why);
    if (count == 0) throw cuda::Error(cuda::Fault::kNoDevice, why);
    std::vector<std::string> names;
    for (int device = 0; device < count; ++device) {
      std::array<char, 32> bus{};
      names.push_back(cudaDeviceGetPCIBusId(bus.data(), bus.size(), device) == cudaSuccess
                          ? bus.data()
                          : std::to_string(device));
    }
    return choose_device(asked, names);
  }();
  return claim.device();
}

std::unique_ptr<DeviceRefills> start_device_refills(const State<Form48>& start, double* pool,
                                                    std::size_t numbers, const std::string& device) {
  return std::make_unique<CudaRefills>(start, pool, numbers, device_of_process(device));
}

}  // namespace ranmar::corsika
