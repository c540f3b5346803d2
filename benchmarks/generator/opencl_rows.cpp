// The rows of an OpenCL device; none where the library was built without OpenCL.
#include "cpu_rows.hpp"
#include "gpu_rows.hpp"
#include "requests.hpp"
#ifdef RANMAR_WITH_OPENCL
#include <algorithm>
#include <chrono>
#include <functional>

#include "src/opencl/api.hpp"

namespace bench {
namespace {

using namespace ranmar::opencl;
constexpr std::size_t kLargestHost = 10000000;

struct Bench {
  Device device = devices().at(0);
  Shared<cl_context> context = context_of(device.id);
  Shared<cl_command_queue> queue = queue_of(context.get(), device.id);
  int repeats;
  std::vector<Row> rows = {};

  void measure(const char* name, const char* kind, std::size_t n, std::size_t bytes,
               const std::function<void()>& request, const std::function<void()>& finish) {
    const std::size_t requests = std::clamp<std::size_t>(20000000 / n, 3, 100);
    Row row{.name = name, .kind = kind, .device = device.name, .n = static_cast<std::int64_t>(n)};
    for (int repeat = -1; repeat < repeats; ++repeat) {  // the first warms up
      const auto start = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < requests; ++i) request();
      finish();
      const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
      if (repeat >= 0) row.samples.push_back(time.count() / static_cast<double>(requests * n));
    }
    row.ns_per_number = median(row.samples);
    row.gb_per_s = static_cast<double>(bytes) / row.ns_per_number;
    const auto [low, high] = std::minmax_element(row.samples.begin(), row.samples.end());
    row.ns_low = *low;
    row.ns_high = *high;
    rows.push_back(std::move(row));
  }

  template <class Form>
  void resident(const char* name, std::size_t n, cl_mem memory) {
    Sequence<Form> sequence(ranmar::seeded_state<Form>(kSeed), queue.get());
    measure(
        name, "device", n, sizeof(typename Form::Real), [&] { sequence.fill(memory, n); },
        [&] { check(OPENCL(clFinish)(queue.get()), "clFinish", Fault::kLost); });
  }
};

}  // namespace

std::string opencl_devices() {
  std::string line;
  for (const Device& device : devices())
    line += (line.empty() ? "" : "; ") + device.name + " (" + device.platform + ")";
  return line;
}

GpuRows measure_opencl(std::size_t largest, int repeats) {
  std::string why;
  if (devices(&why).empty()) return {{}, {}, {"rows of an OpenCL device SKIPPED: " + why}};
  Bench bench{.repeats = repeats};
  const auto memory = buffer_of(bench.context.get(), largest * sizeof(double));
  for (const std::size_t n : kRequests) {
    if (n > largest) break;
    bench.resident<ranmar::Form48>("opencl 48-bit", n, memory.get());
    bench.resident<ranmar::FormExtended48>("opencl extended", n, memory.get());
    bench.resident<ranmar::Form24>("opencl 24-bit", n, memory.get());
    if (n > kLargestHost) continue;
    Stream<ranmar::Form48> stream(ranmar::seeded_state<ranmar::Form48>(kSeed));
    std::vector<double> host(n);
    bench.measure(
        "opencl 48-bit", "host", n, sizeof(double), [&] { stream.refill(host.data(), n); },
        [&] {
          while (stream.in_flight() > 0) stream.wait();
        });
  }
  return {std::move(bench.rows), {}, {}};
}

}  // namespace bench
#else
std::string bench::opencl_devices() { return {}; }
bench::GpuRows bench::measure_opencl(std::size_t, int) {
  return {{}, {}, {"rows of an OpenCL device SKIPPED: the library was built without OpenCL"}};
}
#endif
