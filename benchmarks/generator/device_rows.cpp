// Repetitions of all rows of a device in turns, and the time of each.
#include "device_rows.hpp"

#include <algorithm>
#include <chrono>

namespace bench {

void DeviceMeasure::add(const std::string& name, const std::string& kind, std::size_t n, std::size_t bytes,
                        std::function<void(std::size_t)> request, Work finish) {
  rows_.push_back({.name = name, .kind = kind, .device = device_, .n = static_cast<std::int64_t>(n)});
  requests_.push_back({std::move(request), std::move(finish), bytes});
}

std::vector<Row> DeviceMeasure::run(int repeats, const Clock& clock) {
  for (int repeat = -1; repeat < repeats; ++repeat) {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      Row& row = rows_[k];
      const auto count = std::clamp<std::int64_t>(20000000 / row.n, 3, 100);
      const double ns = clock(row, [&] {
        for (std::int64_t i = 0; i < count; ++i) requests_[k].request(static_cast<std::size_t>(i));
        requests_[k].finish();
      });
      if (repeat >= 0) row.samples.push_back(ns / static_cast<double>(count * row.n));
    }
  }
  for (std::size_t k = 0; k < rows_.size(); ++k) summarize(rows_[k], requests_[k].bytes);
  return rows_;
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
