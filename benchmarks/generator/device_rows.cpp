// Requests to a device, and the time of each row's.
#include "device_rows.hpp"

#include <algorithm>
#include <chrono>

namespace bench {

void DeviceMeasure::add(const std::string& name, const std::string& kind, std::size_t n, std::size_t bytes,
                        std::function<void(std::size_t)> request, Work finish) {
  const Row row{.name = name, .kind = kind, .device = device_, .n = static_cast<std::int64_t>(n)};
  const auto count = std::clamp<std::size_t>(20000000 / n, 3, 100);
  const auto work = [count, request = std::move(request), finish = std::move(finish)] {
    for (std::size_t i = 0; i < count; ++i) request(i);
    finish();
  };
  measure_.add_timed(
      row, static_cast<double>(count * n), bytes,
      [row, work, clock = clock_] { return clock(row, work) * 1e-9; }, true);
}

double wall_ns(const DeviceMeasure::Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

#ifndef RANMAR_WITH_CUDA
std::vector<Row> measure_cuda(int, std::vector<std::string>& skipped) {
  skipped.push_back("rows of a CUDA device SKIPPED: the library was built without CUDA");
  return {};
}
#endif
#ifndef RANMAR_WITH_OPENCL
std::vector<Row> measure_opencl(std::size_t, int, std::vector<std::string>& skipped) {
  skipped.push_back("rows of an OpenCL device SKIPPED: the library was built without OpenCL");
  return {};
}
std::string opencl_devices() { return {}; }
#endif

}  // namespace bench
