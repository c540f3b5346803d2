// The rows of a CUDA device: the backend, cuRAND's generators of doubles, and what the hardware
// can do at all. Rows of numbers that stay on the device are timed by the device, others in wall time.
//
// cuRAND is looked for at run time: RANMAR_CURAND names the library, libcurand.so.10 otherwise.
#include <cuda_runtime.h>
#include <dlfcn.h>
#if __has_include(<curand.h>)
#include <curand.h>
#define HAVE_CURAND 1
#endif

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <stdexcept>

#include "measure.hpp"
#include "ranmar/cuda/sequence.hpp"
#include "ranmar/cuda/stream.hpp"
#include "src/cuda/runtime.hpp"

namespace bench {
namespace {

using ranmar::cuda::check;
constexpr std::size_t kLargestHost = std::end(kRequests)[-1];
constexpr std::size_t kLargestOnDevice = std::size_t{1} << 28;  // numbers that stay in device memory

// The sizes that the CPU's rows have too, and one above.
std::vector<std::size_t> request_sizes() {
  std::vector<std::size_t> sizes(std::begin(kRequests), std::end(kRequests));
  sizes.push_back(kLargestOnDevice);
  return sizes;
}

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

template <class Form>
void add_resident(DeviceMeasure& measure, const char* name, std::size_t n, void* memory) {
  const auto sequence = std::make_shared<ranmar::cuda::Sequence<Form>>(ranmar::seeded_state<Form>(kSeed));
  auto* const out = static_cast<typename Form::Real*>(memory);
  measure.add(name, "device", n, sizeof(*out), [=](std::size_t) { sequence->fill(out, n); });
}

void add_device_rows(DeviceMeasure& measure, double* memory, int resident) {
  for (const std::size_t n : request_sizes()) {
    add_resident<ranmar::Form48>(measure, "cuda 48-bit", n, memory);
    add_resident<ranmar::FormExtended48>(measure, "cuda extended", n, memory);
    add_resident<ranmar::Form24>(measure, "cuda 24-bit", n, memory);
    measure.add("fill in blocks", "device", n, 8, [=](std::size_t) {
      fill_in_blocks<<<static_cast<unsigned>((n + 2047) / 2048), 256>>>(memory, n, 0.5);
    });
    measure.add("fill in strides", "device", n, 8, [=](std::size_t) {
      fill_in_strides<<<std::min(resident, static_cast<int>((n + 255) / 256)), 256>>>(memory, n, 0.5);
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

void add_curand_rows(DeviceMeasure& measure, double* memory, std::vector<std::string>& skipped) {
  const char* named = std::getenv("RANMAR_CURAND");
  void* library = dlopen(named != nullptr ? named : "libcurand.so.10", RTLD_NOW);
  if (library == nullptr) {
    skipped.push_back(std::string("cuRAND SKIPPED: ") + dlerror());
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
        measure.add(std::string("cuRAND ") + name + ", " + ordering, "device", n, 8, [=](std::size_t) {
          if (generate(generator, memory, n) != CURAND_STATUS_SUCCESS)
            throw std::runtime_error("cuRAND failed");
        });
      }
    }
  }
}
#else
void add_curand_rows(DeviceMeasure&, double*, std::vector<std::string>& skipped) {
  skipped.push_back("cuRAND SKIPPED: this program was built without its header");
}
#endif

void add_host_rows(DeviceMeasure& measure, const double* memory, double* host) {
  using Form = ranmar::Form48;
  for (const std::size_t n : kRequests) {
    measure.add_refills("cuda 48-bit", n, host,
                        std::make_shared<ranmar::cuda::Stream<Form>>(ranmar::seeded_state<Form>(kSeed)));
    measure.add("pinned copy", "host", n, 8, [=](std::size_t i) {
      cudaMemcpyAsync(host + i % DeviceMeasure::kBuffers * n, memory, n * 8, cudaMemcpyDeviceToHost);
    });
  }
}

}  // namespace

bool measure_cuda(int repeats, const std::filesystem::path& file, std::vector<std::string>& skipped) {
  std::string why;
  if (ranmar::cuda::device_count(&why) == 0) {
    skipped.push_back("rows of a CUDA device SKIPPED: " + why);
    return false;
  }
  CUDA_CALL(cudaSetDeviceFlags, cudaDeviceScheduleBlockingSync);
  cudaDeviceProp properties{};
  CUDA_CALL(cudaGetDeviceProperties, &properties, 0);
  // All of these are kept to the end of the program.
  cudaEvent_t before = nullptr, after = nullptr;
  CUDA_CALL(cudaEventCreate, &before);
  CUDA_CALL(cudaEventCreate, &after);
  double *memory = nullptr, *host = nullptr;
  CUDA_CALL(cudaMalloc, &memory, kLargestOnDevice * sizeof(double));
  CUDA_CALL(cudaMallocHost, &host, DeviceMeasure::kBuffers * kLargestHost * sizeof(double));

  const auto clock = [&](const Row& row, const DeviceMeasure::Work& work) {
    const char* const name = row.name.c_str();
    if (row.kind == "host") {
      return wall_ns([&] {
        work();
        check(cudaDeviceSynchronize(), name);
      });
    }
    CUDA_CALL(cudaEventRecord, before);
    work();
    check(cudaGetLastError(), name);
    CUDA_CALL(cudaEventRecord, after);
    check(cudaEventSynchronize(after), name);
    float ms = 0.F;
    CUDA_CALL(cudaEventElapsedTime, &ms, before, after);
    return ms * 1e6;
  };
  DeviceMeasure measure(properties.name, clock, repeats);
  add_device_rows(measure, memory, properties.multiProcessorCount * 8);
  add_curand_rows(measure, memory, skipped);
  add_host_rows(measure, memory, host);
  measure.run(file);
  return true;
}

}  // namespace bench
