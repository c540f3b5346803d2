// The rows of a CUDA and of an OpenCL device.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure.hpp"

namespace bench {

/// Measures a CUDA device: rows of the backend, of cuRAND's generators of doubles, of plain fills
/// of memory and of plain copies. Adds to `skipped` what is left out, and why. No rows where there is no
/// device. Throws std::exception where the device fails.
std::vector<Row> measure_cuda(int repeats, std::vector<std::string>& skipped);

/// The same of the first OpenCL device, with requests of up to `largest` numbers.
std::vector<Row> measure_opencl(std::size_t largest, int repeats, std::vector<std::string>& skipped);

/// Names of the OpenCL devices, with their platforms, in one line.
std::string opencl_devices();

/// Rows of one device. A repetition of a row is 3 to 100 requests.
class DeviceMeasure {
 public:
  using Work = std::function<void()>;
  /// Returns the nanoseconds from the start of `work` until the device has done it.
  using Clock = std::function<double(const Row& row, const Work& work)>;

  /// Buffers in host memory; refills go to one after the other, in turn.
  static constexpr std::size_t kBuffers = 3;

  DeviceMeasure(std::string device, Clock clock) : device_(std::move(device)), clock_(std::move(clock)) {}

  /// A row of requests for n numbers each. `bytes`: of one number. request(i) makes the i-th request, from 0;
  /// `finish` follows the last one.
  void add(
      const std::string& name, const std::string& kind, std::size_t n, std::size_t bytes,
      std::function<void(std::size_t)> request, Work finish = [] {});

  /// A row of refills of `host`, kBuffers times n numbers, with kBuffers of them in flight.
  template <class Stream>
  void add_refills(const std::string& name, std::size_t n, double* host, std::shared_ptr<Stream> stream) {
    const auto request = [=](std::size_t i) {
      if (stream->in_flight() == kBuffers) stream->wait();
      stream->refill(host + i % kBuffers * n, n);
    };
    add(name, "host", n, sizeof(double), request, [=] {
      while (stream->in_flight() > 0) stream->wait();
    });
  }

  /// Measures all rows `repeats` times, and returns them in the order in which they were added.
  std::vector<Row> run(int repeats) { return measure_.run(repeats, 0.); }

 private:
  std::string device_;
  Clock clock_;
  Measure measure_;
};

/// Wall time of `work` in nanoseconds.
double wall_ns(const DeviceMeasure::Work& work);

}  // namespace bench
