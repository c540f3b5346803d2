// ranmar-gpu-bench: the CUDA backend beside cuRAND's generators of doubles and beside what the hardware can
// do at all, in one run. Repetitions of all rows are interleaved, a row is the median of its own, a ratio is
// one of medians.
//
// cuRAND is looked for at run time (RANMAR_CURAND names the library, libcurand.so.10 otherwise): where it is
// not, its rows are left out, with a line that says so. Without a device the program ends with status 77.
#include <cuda_runtime.h>
#include <dlfcn.h>
#if __has_include(<curand.h>)
#include <curand.h>
#define HAVE_CURAND 1
#endif

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../generator/requests.hpp"
#include "ranmar/cuda/sequence.hpp"
#include "ranmar/cuda/stream.hpp"

namespace {

constexpr std::int32_t kSeed = 54217137;
constexpr std::size_t kLargest = std::size_t{1} << 28;
constexpr std::size_t kLargestHost = 100000000;
constexpr std::size_t kHostRatio = std::size_t{1} << 20;
constexpr int kNoDevice = 77;  // exit status

// The sizes that the CPU's rows have too, and one above.
std::vector<std::size_t> request_sizes() {
  std::vector<std::size_t> sizes(std::begin(bench::kRequests), std::end(bench::kRequests));
  sizes.push_back(kLargest);
  return sizes;
}

void need(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(code));
}

struct Row {
  std::string name;
  std::string kind;  // "device" or "host"
  std::size_t n;
  std::size_t bytes_per_number;
  std::function<void(int)> work;     // so many requests
  std::vector<double> samples = {};  // ns a number

  [[nodiscard]] double ns() const {
    std::vector<double> sorted = samples;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle]);
  }
  [[nodiscard]] double gb_per_s() const { return static_cast<double>(bytes_per_number) / ns(); }
};

// What writing memory costs without making anything: thread blocks of 256 that write 16 KiB each and end, and
// as many as the device holds at once, each striding over all of memory.
__global__ void fill_in_blocks(double* out, std::size_t n, double value) {
  const std::size_t first = blockIdx.x * std::size_t{2048} + threadIdx.x;
#pragma unroll
  for (std::size_t k = 0; k < 8; ++k) {
    if (first + k * 256 < n) out[first + k * 256] = value;
  }
}
__global__ void fill_in_strides(double* out, std::size_t n, double value) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    out[i] = value;
  }
}

class Bench {
 public:
  explicit Bench(int repeats) : repeats_(repeats) {
    need(cudaGetDevice(&device_), "cudaGetDevice");
    need(cudaGetDeviceProperties(&properties_, device_), "cudaGetDeviceProperties");
    need(cudaEventCreate(&before_), "cudaEventCreate");
    need(cudaEventCreate(&after_), "cudaEventCreate");
  }

  void add(const std::string& name, const std::string& kind, std::size_t n, std::size_t bytes,
           std::function<void(int)> work) {
    rows_.push_back({name, kind, n, bytes, std::move(work)});
  }

  void run() {
    for (int repeat = -1; repeat < repeats_; ++repeat) {  // the first warms up
      for (Row& row : rows_) {
        const auto requests =
            static_cast<int>(std::clamp<std::size_t>(20000000 / row.n, row.kind == "host" ? 3 : 1, 100));
        const double ns = row.kind == "host" ? wall(row, requests) : on_device(row, requests);
        if (repeat >= 0) row.samples.push_back(ns / requests / static_cast<double>(row.n));
      }
    }
  }

  [[nodiscard]] const Row* best(const std::string& prefix, const std::string& kind, std::size_t n) const {
    const Row* found = nullptr;
    for (const Row& row : rows_) {
      if (row.kind != kind || row.n != n || row.name.rfind(prefix, 0) != 0) continue;
      if (found == nullptr || row.ns() < found->ns()) found = &row;
    }
    return found;
  }

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] const cudaDeviceProp& properties() const { return properties_; }

 private:
  double on_device(const Row& row, int requests) {
    need(cudaEventRecord(before_), "cudaEventRecord");
    row.work(requests);
    need(cudaEventRecord(after_), "cudaEventRecord");
    need(cudaEventSynchronize(after_), row.name.c_str());
    float ms = 0.F;
    need(cudaEventElapsedTime(&ms, before_, after_), "cudaEventElapsedTime");
    return ms * 1e6;
  }

  static double wall(const Row& row, int requests) {
    const auto start = std::chrono::steady_clock::now();
    row.work(requests);
    need(cudaDeviceSynchronize(), row.name.c_str());
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  }

  int repeats_;
  int device_ = 0;
  cudaDeviceProp properties_{};
  cudaEvent_t before_ = nullptr, after_ = nullptr;
  std::vector<Row> rows_;
};

template <class Form>
void add_ours(Bench& bench, const std::string& name, void* memory, std::size_t n) {
  auto sequence = std::make_shared<ranmar::cuda::Sequence<Form>>(ranmar::seeded_state<Form>(kSeed));
  bench.add(name, "device", n, sizeof(typename Form::Real), [=](int requests) {
    for (int i = 0; i < requests; ++i) sequence->fill(static_cast<typename Form::Real*>(memory), n);
  });
}

void add_device_rows(Bench& bench, double* memory) {
  const int resident = bench.properties().multiProcessorCount * 8;
  for (const std::size_t n : request_sizes()) {
    add_ours<ranmar::Form48>(bench, "cuda 48-bit", memory, n);
    add_ours<ranmar::FormExtended48>(bench, "cuda extended", memory, n);
    add_ours<ranmar::Form24>(bench, "cuda 24-bit", memory, n);
    bench.add("fill in blocks", "device", n, 8, [=](int requests) {
      for (int i = 0; i < requests; ++i) {
        fill_in_blocks<<<static_cast<unsigned>((n + 2047) / 2048), 256>>>(memory, n, 0.5);
      }
    });
    bench.add("fill in strides", "device", n, 8, [=](int requests) {
      for (int i = 0; i < requests; ++i) {
        fill_in_strides<<<std::min(resident, static_cast<int>((n + 255) / 256)), 256>>>(memory, n, 0.5);
      }
    });
    bench.add("cudaMemset", "device", n, 8, [=](int requests) {
      for (int i = 0; i < requests; ++i) cudaMemsetAsync(memory, 1, n * 8);
    });
  }
}

#ifdef HAVE_CURAND
template <class Function>
Function* symbol(void* library, const char* name) {
  auto* function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("cuRAND has no ") + name);
  return function;
}

void add_curand_rows(Bench& bench, double* memory) {
  const char* named = std::getenv("RANMAR_CURAND");
  void* library = dlopen(named != nullptr ? named : "libcurand.so.10", RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "ranmar-gpu-bench: cuRAND SKIPPED: %s\n", dlerror());
    return;
  }
  auto* create = symbol<decltype(curandCreateGenerator)>(library, "curandCreateGenerator");
  auto* order = symbol<decltype(curandSetGeneratorOrdering)>(library, "curandSetGeneratorOrdering");
  auto* generate = symbol<decltype(curandGenerateUniformDouble)>(library, "curandGenerateUniformDouble");
  const std::pair<const char*, curandRngType_t> generators[] = {{"XORWOW", CURAND_RNG_PSEUDO_XORWOW},
                                                                {"Philox", CURAND_RNG_PSEUDO_PHILOX4_32_10},
                                                                {"MRG32K3A", CURAND_RNG_PSEUDO_MRG32K3A},
                                                                {"MT19937", CURAND_RNG_PSEUDO_MT19937},
                                                                {"MTGP32", CURAND_RNG_PSEUDO_MTGP32}};
  const std::pair<const char*, curandOrdering_t> orderings[] = {{"best", CURAND_ORDERING_PSEUDO_BEST},
                                                                {"dynamic", CURAND_ORDERING_PSEUDO_DYNAMIC},
                                                                {"legacy", CURAND_ORDERING_PSEUDO_LEGACY}};
  for (const auto& [name, type] : generators) {
    for (const auto& [ordering, value] : orderings) {
      curandGenerator_t generator = nullptr;
      if (create(&generator, type) != CURAND_STATUS_SUCCESS)
        throw std::runtime_error(std::string("cuRAND makes no ") + name);
      if (order(generator, value) != CURAND_STATUS_SUCCESS)
        continue;  // not every generator has every ordering
      if (generate(generator, memory, 1000) != CURAND_STATUS_SUCCESS) continue;
      for (const std::size_t n : request_sizes()) {
        bench.add(std::string("cuRAND ") + name + ", " + ordering, "device", n, 8, [=](int requests) {
          for (int i = 0; i < requests; ++i) {
            if (generate(generator, memory, n) != CURAND_STATUS_SUCCESS)
              throw std::runtime_error("cuRAND failed");
          }
        });
      }
    }
  }
}
#else
void add_curand_rows(Bench&, double*) {
  std::fprintf(stderr, "ranmar-gpu-bench: cuRAND SKIPPED: this program was built without its header\n");
}
#endif

void add_host_rows(Bench& bench, double* device_memory, double* host, std::size_t buffers) {
  for (const std::size_t n : request_sizes()) {
    if (n > kLargestHost) continue;
    auto stream =
        std::make_shared<ranmar::cuda::Stream<ranmar::Form48>>(ranmar::seeded_state<ranmar::Form48>(kSeed));
    bench.add("cuda 48-bit", "host", n, 8, [=](int requests) {
      for (int i = 0; i < requests; ++i) {
        if (stream->in_flight() == buffers) stream->wait();
        stream->refill(host + static_cast<std::size_t>(i) % buffers * n, n);
      }
      while (stream->in_flight() > 0) stream->wait();
    });
    bench.add("pinned copy", "host", n, 8, [=](int requests) {
      for (int i = 0; i < requests; ++i) {
        cudaMemcpyAsync(host + static_cast<std::size_t>(i) % buffers * n, device_memory, n * 8,
                        cudaMemcpyDeviceToHost);
      }
    });
  }
}

double ratio(const Row* ours, const Row* peer) {
  return ours != nullptr && peer != nullptr ? ours->gb_per_s() / peer->gb_per_s() : 0.;
}

int run(int argc, char** argv) {
  std::string out;
  int repeats = 21;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--out" && i + 1 < argc) {
      out = argv[++i];
    } else if (option == "--repeats" && i + 1 < argc) {
      repeats = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: ranmar-gpu-bench [--out FILE.json] [--repeats N]\n");
      return 2;
    }
  }
  if (repeats < 1) throw std::invalid_argument("--repeats must be 1 or more");
  std::string why;
  if (ranmar::cuda::device_count(&why) == 0) {
    std::fprintf(stderr, "ranmar-gpu-bench: SKIPPED: no device: %s\n", why.c_str());
    return kNoDevice;
  }
  need(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), "cudaSetDeviceFlags");

  Bench bench(repeats);
  double* memory = nullptr;
  need(cudaMalloc(&memory, kLargest * sizeof(double)), "cudaMalloc");
  constexpr std::size_t kBuffers = 3;
  double* host = nullptr;
  need(cudaMallocHost(&host, kBuffers * kLargestHost * sizeof(double)), "cudaMallocHost");
  add_device_rows(bench, memory);
  add_curand_rows(bench, memory);
  add_host_rows(bench, memory, host, kBuffers);
  bench.run();

  std::string json = "{\n  \"device\": \"" + std::string(bench.properties().name) +
                     "\",\n  \"repeats\": " + std::to_string(repeats) + ",\n  \"rows\": [\n";
  std::string separator;
  char line[512];
  for (const Row& row : bench.rows()) {
    std::printf("| %s | %s | %zu | %.5f | %.2f |\n", row.kind.c_str(), row.name.c_str(), row.n, row.ns(),
                row.gb_per_s());
    const auto [low, high] = std::minmax_element(row.samples.begin(), row.samples.end());
    std::snprintf(
        line, sizeof line,
        "    {\"name\": \"%s\", \"kind\": \"%s\", \"device\": \"%s\", \"n\": %zu, \"ns_per_number\": %.6g, "
        "\"gb_per_s\": %.6g, \"ns_low\": %.6g, \"ns_high\": %.6g}",
        row.name.c_str(), row.kind.c_str(), bench.properties().name, row.n, row.ns(), row.gb_per_s(), *low,
        *high);
    json += separator + line;
    separator = ",\n";
  }
  json += "\n  ],\n  \"ratios\": {";
  separator.clear();
  const auto add_ratio = [&](const std::string& name, const Row* ours, const Row* peer) {
    if (ours == nullptr || peer == nullptr) return;
    std::snprintf(line, sizeof line, "%s\"%s\": %.4f", separator.c_str(), name.c_str(), ratio(ours, peer));
    json += line;
    separator = ", ";
    std::printf("%s: %.4f (%s)\n", name.c_str(), ratio(ours, peer), peer->name.c_str());
  };
  for (const std::size_t n : {std::size_t{100000000}, kLargest}) {
    const std::string suffix = n == kLargest ? "" : "_1e8";
    const Row* ours = bench.best("cuda 48-bit", "device", n);
    add_ratio("cuda_over_fill" + suffix, ours, bench.best("fill", "device", n));
    add_ratio("cuda_over_memset" + suffix, ours, bench.best("cudaMemset", "device", n));
    add_ratio("cuda_over_best_curand" + suffix, ours, bench.best("cuRAND", "device", n));
  }
  for (const std::size_t n : {kHostRatio, kLargestHost}) {
    add_ratio(n == kHostRatio ? "host_over_pinned_copy" : "host_over_pinned_copy_1e8",
              bench.best("cuda 48-bit", "host", n), bench.best("pinned copy", "host", n));
  }
  json += "}\n}\n";
  if (!out.empty()) {
    std::ofstream file(out);
    if (!(file << json) || !file.flush()) throw std::runtime_error("cannot write to " + out);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ranmar-gpu-bench: error: %s\n", e.what());
    return 1;
  }
}
