// ranmar-opencl-bench: the OpenCL backend's rates on one device, in the JSON of ranmar-gpu-bench; and the
// list of devices, for overlay doctor. A row is the median of its repetitions. Without a device the program
// ends with status 77.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>

#include "../generator/requests.hpp"
#include "src/opencl/api.hpp"

namespace {

using namespace ranmar::opencl;

constexpr std::int32_t kSeed = 54217137;
constexpr std::size_t kLargestHost = 10000000;
constexpr int kNoDevice = 77;  // exit status

struct Bench {
  const Device& device;
  int repeats = 21;
  std::size_t largest = *std::rbegin(bench::kRequests);
  Tuning tuning = {};
  Shared<cl_context> context = context_of(device.id);
  Shared<cl_command_queue> queue = queue_of(context.get(), device.id);
  std::string rows = {};

  void measure(const char* name, const char* kind, std::size_t n, std::size_t bytes,
               const std::function<void()>& work, const std::function<void()>& finish) {
    const auto requests = static_cast<int>(std::clamp<std::size_t>(20000000 / n, 3, 100));
    std::vector<double> ns;
    for (int repeat = -1; repeat < repeats; ++repeat) {  // the first warms up
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < requests; ++i) work();
      finish();
      const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
      if (repeat >= 0) ns.push_back(time.count() / requests / static_cast<double>(n));
    }
    std::sort(ns.begin(), ns.end());
    const double median = ns[ns.size() / 2];
    fmt::print("| {} | {} | {} | {:.5f} | {:.2f} |\n", kind, name, n, median,
               static_cast<double>(bytes) / median);
    rows += fmt::format(
        R"({}{{"name": "{}", "kind": "{}", "device": "{}", "n": {}, "ns_per_number": {:.6g}, "gb_per_s": {:.6g}, )"
        R"("ns_low": {:.6g}, "ns_high": {:.6g}}})",
        rows.empty() ? "" : ",\n", name, kind, device.name, n, median, static_cast<double>(bytes) / median,
        ns.front(), ns.back());
  }

  template <class Form>
  void resident(const char* name, cl_mem memory, std::size_t n) {
    Sequence<Form> sequence(ranmar::seeded_state<Form>(kSeed), queue.get(), 1, tuning);
    measure(
        name, "device", n, sizeof(typename Form::Real), [&] { sequence.fill(memory, n); },
        [&] { check(api().clFinish(queue.get()), "clFinish", Fault::kLost); });
  }

  void delivered(std::size_t n, int number) {
    Stream<ranmar::Form48> stream(ranmar::seeded_state<ranmar::Form48>(kSeed), number);
    std::vector<double> host(n);
    measure(
        "opencl 48-bit", "host", n, sizeof(double), [&] { stream.refill(host.data(), n); },
        [&] {
          while (stream.in_flight() > 0) stream.wait();
        });
  }
};

int run(int argc, char** argv) {
  std::string why, out;
  const auto found = devices(&why);
  if (argc == 2 && std::strcmp(argv[1], "--devices") == 0) {
    for (const auto& device : found) fmt::print("{} ({})\n", device.name, device.platform);
    return 0;
  }
  if (found.empty()) {
    fmt::print(stderr, "ranmar-opencl-bench: SKIPPED: no device: {}\n", why);
    return kNoDevice;
  }
  const int number = std::getenv("RANMAR_DEVICE") == nullptr ? 0 : std::atoi(std::getenv("RANMAR_DEVICE"));
  Bench bench{found.at(static_cast<std::size_t>(number))};
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--out") out = value;
    if (option == "--repeats") bench.repeats = std::stoi(value);
    if (option == "--largest") bench.largest = std::stoul(value);
    if (option == "--blocks") bench.tuning.blocks_per_unit = std::stoi(value);
    if (option == "--exchange") bench.tuning.exchange = static_cast<Exchange>(std::stoi(value));
  }
  const auto memory = buffer_of(bench.context.get(), bench.largest * sizeof(double));
  for (const std::size_t n : bench::kRequests) {
    if (n > bench.largest) continue;
    bench.resident<ranmar::Form48>("opencl 48-bit", memory.get(), n);
    bench.resident<ranmar::FormExtended48>("opencl extended", memory.get(), n);
    bench.resident<ranmar::Form24>("opencl 24-bit", memory.get(), n);
    if (n <= kLargestHost) bench.delivered(n, number);
  }
  if (out.empty()) return 0;
  std::ofstream file(out);
  file << "{\"ratios\": {}, \"rows\": [\n" << bench.rows << "\n]}\n";
  if (!file.flush()) throw std::runtime_error("cannot write to " + out);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "ranmar-opencl-bench: error: {}\n", e.what());
    return 1;
  }
}
