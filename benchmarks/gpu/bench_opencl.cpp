// ranmar-opencl-bench: the OpenCL backend's rates on one device, in the JSON of ranmar-gpu-bench; and the
// list of devices, for overlay doctor. Repetitions of all rows are interleaved; a row is the median of its
// own. Without a device the program ends with status 77.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../generator/requests.hpp"
#include "ranmar/opencl/stream.hpp"
#include "src/opencl/api.hpp"

namespace {

using ranmar::opencl::api;
using ranmar::opencl::check;
using ranmar::opencl::created;
using ranmar::opencl::Fault;
using ranmar::opencl::Shared;

constexpr std::int32_t kSeed = 54217137;
constexpr std::size_t kLargestHost = 10000000;
constexpr std::size_t kBuffers = 3;  // of the host
constexpr int kNoDevice = 77;        // exit status

struct Options {
  std::string out;
  int repeats = 21;
  int device = 0;
  std::size_t largest = *std::rbegin(bench::kRequests);
  ranmar::opencl::Tuning tuning;
};

struct Row {
  const char* name;
  const char* kind;  // "device" or "host"
  std::size_t n;
  std::size_t bytes_per_number;
  std::function<void(int)> work;     // so many requests, to their end
  std::vector<double> samples = {};  // ns a number
};

struct Queue {
  explicit Queue(cl_device_id device) {
    cl_int code = CL_SUCCESS;
    context = {api().clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code), api().clReleaseContext};
    check(code, "clCreateContext");
    queue = {api().clCreateCommandQueue(context.get(), device, 0, &code), api().clReleaseCommandQueue};
    check(code, "clCreateCommandQueue");
  }
  [[nodiscard]] Shared<cl_mem> memory(std::size_t bytes) const {
    cl_int code = CL_SUCCESS;
    cl_mem const memory = api().clCreateBuffer(context.get(), CL_MEM_READ_WRITE, bytes, nullptr, &code);
    check(code, "clCreateBuffer", Fault::kOutOfMemory);
    return {memory, api().clReleaseMemObject};
  }
  Shared<cl_context> context;
  Shared<cl_command_queue> queue;
};

template <class Form>
void add_resident(std::vector<Row>& rows, const char* name, const Queue& queue, const Shared<cl_mem>& memory,
                  std::size_t n, const ranmar::opencl::Tuning& tuning) {
  auto sequence = std::make_shared<ranmar::opencl::Sequence<Form>>(ranmar::seeded_state<Form>(kSeed),
                                                                   queue.queue.get(), 1, tuning);
  rows.push_back({name, "device", n, sizeof(typename Form::Real), [=](int requests) {
                    for (int i = 0; i < requests; ++i) sequence->fill(memory.get(), n);
                    check(api().clFinish(queue.queue.get()), "clFinish", Fault::kLost);
                  }});
}

void add_delivered(std::vector<Row>& rows, std::vector<double>& host, std::size_t n, int device) {
  auto stream = std::make_shared<ranmar::opencl::Stream<ranmar::Form48>>(
      ranmar::seeded_state<ranmar::Form48>(kSeed), device);
  rows.push_back({"opencl 48-bit", "host", n, 8, [=, &host](int requests) {
                    for (int i = 0; i < requests; ++i) {
                      if (stream->in_flight() == kBuffers) stream->wait();
                      stream->refill(host.data() + static_cast<std::size_t>(i) % kBuffers * n, n);
                    }
                    while (stream->in_flight() > 0) stream->wait();
                  }});
}

void measure(std::vector<Row>& rows, int repeats) {
  for (int repeat = -1; repeat < repeats; ++repeat) {  // the first warms up
    for (Row& row : rows) {
      const auto requests = static_cast<int>(std::clamp<std::size_t>(20000000 / row.n, 3, 100));
      const auto start = std::chrono::steady_clock::now();
      row.work(requests);
      const std::chrono::duration<double, std::nano> ns = std::chrono::steady_clock::now() - start;
      if (repeat >= 0) row.samples.push_back(ns.count() / requests / static_cast<double>(row.n));
    }
  }
}

std::string json_of(std::vector<Row>& rows, const std::string& device) {
  std::string json = "{\"device\": \"" + device + "\", \"ratios\": {}, \"rows\": [";
  const char* separator = "\n  ";
  for (Row& row : rows) {
    std::sort(row.samples.begin(), row.samples.end());
    const double ns = row.samples[row.samples.size() / 2];
    const double gb_per_s = static_cast<double>(row.bytes_per_number) / ns;
    std::printf("| %s | %s | %zu | %.5f | %.2f |\n", row.kind, row.name, row.n, ns, gb_per_s);
    char line[512];
    std::snprintf(
        line, sizeof line,
        "%s{\"name\": \"%s\", \"kind\": \"%s\", \"device\": \"%s\", \"n\": %zu, \"ns_per_number\": %.6g, "
        "\"gb_per_s\": %.6g, \"ns_low\": %.6g, \"ns_high\": %.6g}",
        separator, row.name, row.kind, device.c_str(), row.n, ns, gb_per_s, row.samples.front(),
        row.samples.back());
    json += line;
    separator = ",\n  ";
  }
  return json + "\n]}\n";
}

int list(const std::vector<ranmar::opencl::Device>& devices) {
  for (const auto& device : devices) std::printf("%s (%s)\n", device.name.c_str(), device.platform.c_str());
  return 0;
}

int run(const Options& options, const std::vector<ranmar::opencl::Device>& devices) {
  const auto& device = devices.at(static_cast<std::size_t>(options.device));
  const Queue queue(device.id);
  const auto memory = queue.memory(options.largest * sizeof(double));
  std::vector<double> host(kBuffers * std::min(options.largest, kLargestHost));
  std::vector<Row> rows;
  for (const std::size_t n : bench::kRequests) {
    if (n > options.largest) continue;
    add_resident<ranmar::Form48>(rows, "opencl 48-bit", queue, memory, n, options.tuning);
    add_resident<ranmar::FormExtended48>(rows, "opencl extended", queue, memory, n, options.tuning);
    add_resident<ranmar::Form24>(rows, "opencl 24-bit", queue, memory, n, options.tuning);
    if (n <= kLargestHost) add_delivered(rows, host, n, options.device);
  }
  measure(rows, options.repeats);
  const std::string json = json_of(rows, device.name);
  if (options.out.empty()) return 0;
  std::ofstream file(options.out);
  if (!(file << json) || !file.flush()) throw std::runtime_error("cannot write to " + options.out);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::string why;
    const auto devices = ranmar::opencl::devices(&why);
    if (argc == 2 && std::strcmp(argv[1], "--devices") == 0) return list(devices);
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
      const std::string option = argv[i];
      if (option == "--out") options.out = argv[i + 1];
      if (option == "--repeats") options.repeats = std::max(1, std::atoi(argv[i + 1]));
      if (option == "--device") options.device = std::atoi(argv[i + 1]);
      if (option == "--largest") options.largest = static_cast<std::size_t>(std::atoll(argv[i + 1]));
      if (option == "--blocks") options.tuning.blocks_per_unit = std::atoi(argv[i + 1]);
      if (option == "--rows") options.tuning.rows = static_cast<ranmar::opencl::Rows>(std::atoi(argv[i + 1]));
    }
    if (argc % 2 == 0) throw std::invalid_argument(std::string(argv[argc - 1]) + " needs a value");
    if (devices.empty()) {
      std::fprintf(stderr, "ranmar-opencl-bench: SKIPPED: no device: %s\n", why.c_str());
      return kNoDevice;
    }
    return run(options, devices);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ranmar-opencl-bench: error: %s\n", e.what());
    return 1;
  }
}
