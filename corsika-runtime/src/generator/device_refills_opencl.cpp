// Refills by an OpenCL device: start_opencl_refills. OpenCL's library is looked for at run time, so this is
// in every program.

#include "corsika_runtime/generator/device_refills.hpp"
#ifdef RANMAR_WITH_OPENCL
#include "ranmar/opencl/opencl.hpp"
#endif

namespace ranmar::corsika {

#ifdef RANMAR_WITH_OPENCL
std::unique_ptr<DeviceRefills> start_opencl_refills(const State<Form48>& start, const std::string& asked) {
  static const int number = [&] {  // of this process
    std::string why;
    const auto devices = opencl::devices(&why);
    if (devices.empty()) throw opencl::Error(why);
    std::vector<std::string> names;
    for (const auto& one : devices) {
      // A processor is taken by number only, where there is any other device.
      if ((asked.empty() || asked == "auto") && one.processor && !devices[0].processor) break;
      names.push_back("opencl-" + std::to_string(names.size()));
    }
    return choose_device(asked, names);
  }();
  auto refills = std::make_unique<opencl::Stream<Form48>>(start, number);
  return std::unique_ptr<DeviceRefills>(new DeviceRefills{number, nullptr, std::move(refills)});
}
#else
std::unique_ptr<DeviceRefills> start_opencl_refills(const State<Form48>& /*start*/,
                                                    const std::string& /*device*/) {
  throw std::runtime_error("this program was built without OpenCL; install opencl-headers and build again");
}
#endif

}  // namespace ranmar::corsika
