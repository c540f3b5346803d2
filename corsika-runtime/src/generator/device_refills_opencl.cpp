// Refills by an OpenCL device: start_opencl_refills. OpenCL's library is looked for at run time, so this is
// in every program.
#include <stdexcept>

#include "corsika_runtime/generator/device_refills.hpp"
#ifdef RANMAR_WITH_OPENCL
#include <vector>

#include "corsika_runtime/generator/device_choice.hpp"
#include "ranmar/opencl/opencl.hpp"
#endif

namespace ranmar::corsika {

#ifdef RANMAR_WITH_OPENCL
namespace {

class OpenClRefills final : public DeviceRefills {
 public:
  OpenClRefills(const State<Form48>& start, int device) : device_(device), stream_(start, device) {}

  void ask(double* out, std::size_t n) override { stream_.refill(out, n); }

  bool wait() override {
    const bool sleeps = !stream_.ready();
    stream_.wait();
    return sleeps;
  }

  [[nodiscard]] int device() const override { return device_; }

  [[nodiscard]] State<Form48> state_at(std::uint64_t position) const override {
    return stream_.state_at(position);
  }

 private:
  int device_;
  opencl::Stream<Form48> stream_;
};

int opencl_device_of_process(const std::string& asked) {
  static const DeviceClaim claim = [&] {
    std::string why;
    const auto devices = opencl::devices(&why);
    if (devices.empty()) throw opencl::Error(opencl::Fault::kNoDevice, why);
    std::vector<std::string> names;
    for (const auto& device : devices) {
      // A processor is taken by number only, where there is any other device.
      if ((asked.empty() || asked == "auto") && device.processor && !devices[0].processor) break;
      names.push_back("opencl-" + std::to_string(names.size()));
    }
    return choose_device(asked, names);
  }();
  return claim.device();
}

}  // namespace

std::unique_ptr<DeviceRefills> start_opencl_refills(const State<Form48>& start, const std::string& device) {
  return std::make_unique<OpenClRefills>(start, opencl_device_of_process(device));
}
#else
std::unique_ptr<DeviceRefills> start_opencl_refills(const State<Form48>& /*start*/,
                                                    const std::string& /*device*/) {
  throw std::runtime_error("this program was built without OpenCL; install opencl-headers and build again");
}
#endif

}  // namespace ranmar::corsika
