// Rows of the benchmark, of the processor and of devices, measured by Google Benchmark; bench.py makes tables
// of the rows.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "ranmar/fill.hpp"

namespace bench {

/// Seed of every sequence that is timed: RMMAQD's default seed.
inline constexpr std::int32_t kSeed = 54217137;

/// Numbers per request that every backend is measured with: from a few draws of CORSIKA's to more than any
/// cache holds.
inline constexpr std::size_t kRequests[] = {100,      1000,     10000, 100000, std::size_t{1} << 20,
                                            10000000, 100000000};

/// What is measured of one backend with one size of request.
struct Row {
  std::string name;  ///< the backend, "simd"
  /// generate: bulk requests on one core, CPU time. draw: calls for a few numbers, CPU time. threads: one
  /// sequence per thread, wall time over the numbers of all. device: left in a device's memory. host:
  /// delivered from a device to pinned memory.
  std::string kind;
  std::size_t n = 0;           ///< numbers per request
  std::size_t numbers = 0;     ///< that an iteration makes
  std::string device = "cpu";  ///< "cpu", or the device's name
  int threads = 1;
  std::size_t bytes = sizeof(double);  ///< of a number
};

/// Memory for numbers, on page boundaries.
struct alignas(4096) Page {
  double numbers[512];
};
using Pages = std::vector<Page>;
inline std::size_t pages_of(std::size_t numbers) { return (numbers + 511) / 512; }

/// Rows to be measured with random interleaving, so that a noisy minute of the machine falls on all of them.
/// One object is filled and run after the other.
class Measure {
 public:
  /// Each row is measured `repeats` times, each time for at least `seconds`.
  Measure(int repeats, double seconds) : repeats_(repeats), seconds_(seconds) {}
  ~Measure();

  /// A row in CPU time. simd_target: the instruction set of the simd backend, as SimdTarget::bit
  /// (ranmar_testing/simd_target.hpp); 0: the best of this CPU.
  void add(const Row& row, std::function<void()> work, std::int64_t simd_target = 0);

  /// Rows in wall time: the simd backend with requests of up to `largest` numbers, by 1, 2, 4,
  /// ... and as many threads as `memory`, which must outlive the measuring, has parts. Thread i has a
  /// sequence and memory[i] of its own, which it touches first, and runs on cores[i % cores.size()].
  void add_threads(std::vector<Pages>& memory, const std::vector<int>& cores, std::size_t largest);

  /// Measures, and writes Google Benchmark's JSON to `file`.
  void run(const std::filesystem::path& file);

 protected:
  int repeats_;
  double seconds_;
};

/// Rows of one device. A repetition of a row is 3 to 100 requests; those before the first one do not count.
class DeviceMeasure : public Measure {
 public:
  using Work = std::function<void()>;
  /// Returns the nanoseconds from the start of `work` until the device has done it.
  using Clock = std::function<double(const Row& row, const Work& work)>;

  /// Buffers in host memory; refills go to one after the other, in turn.
  static constexpr std::size_t kBuffers = 3;

  DeviceMeasure(std::string device, Clock clock, int repeats)
      : Measure(repeats, 0.), device_(std::move(device)), clock_(std::move(clock)) {}

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

 private:
  std::string device_;
  Clock clock_;
};

/// Wall time of `work` in nanoseconds.
double wall_ns(const std::function<void()>& work);

/// Numbers per request, in the rows whose throughputs the ratios compare. The draw path fills a buffer of
/// 2048 numbers at a time (a buffer, draw_path.hpp), so it fills two for such a request.
inline constexpr std::size_t kRatioRequest = 4096;

/// Adds the rows of one thread: bulk requests of up to `largest` numbers to `buffer`, which holds as many, by
/// the stock loop (the stand-in's RMMARD, the loop of CORSIKA's written by us), the backends, each
/// instruction set of the simd backend, and a plain fill; and calls for 1 to 100 numbers, as CORSIKA's code
/// has them. tree_library: a shared library made by `prove --library`, whose RMMARD is timed beside them, or
/// "". To be called once. Throws std::runtime_error where the library cannot be loaded or has no RMMARD and
/// RMMAQD.
void add_rows_of_one_thread(Measure& measure, double* buffer, std::size_t largest,
                            const std::string& tree_library);

/// Measures a CUDA device to `file`: rows of the backend, of cuRAND's generators of doubles, of plain fills
/// of memory and of plain copies. Adds to `skipped` what is left out, and why. False where there is no
/// device. Throws std::exception where the device fails.
bool measure_cuda(int repeats, const std::filesystem::path& file, std::vector<std::string>& skipped);

/// The same of the first OpenCL device, with requests of up to `largest` numbers.
bool measure_opencl(std::size_t largest, int repeats, const std::filesystem::path& file,
                    std::vector<std::string>& skipped);

/// Names of the OpenCL devices, with their platforms, in one line.
std::string opencl_devices();

}  // namespace bench
