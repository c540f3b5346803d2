// Numbers made by a CUDA device into its own memory, in a stream, and into host memory ahead of their use.
#include <cuda_runtime_api.h>
#include <ranmar/cuda/sequence.hpp>
#include <ranmar/cuda/stream.hpp>
#include <ranmar/fill.hpp>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

int main() try {
  constexpr std::size_t kNumbers = 1000000;
  std::string why;
  if (ranmar::cuda::device_count(&why) == 0) {
    std::printf("SKIPPED: %s\n", why.c_str());
    return 77;
  }
  const auto start = ranmar::seeded_state<ranmar::Form48>(54217137);
  std::vector<double> expected(kNumbers), copied(kNumbers), delivered(kNumbers);
  auto state = start;
  ranmar::fill(ranmar::Backend::kReference, state, expected.data(), kNumbers);

  // Into memory of the device.
  double* memory = nullptr;
  cudaStream_t stream = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&memory), kNumbers * sizeof(double)) != cudaSuccess) return 1;
  if (cudaStreamCreate(&stream) != cudaSuccess) return 1;
  ranmar::cuda::Sequence<ranmar::Form48> sequence(start);
  sequence.fill(memory, kNumbers, stream);
  cudaMemcpyAsync(copied.data(), memory, kNumbers * sizeof(double), cudaMemcpyDeviceToHost, stream);
  if (cudaStreamSynchronize(stream) != cudaSuccess || copied != expected) return 1;

  // Into memory of the host, while the program does something else.
  const ranmar::cuda::Pinned pinned(delivered.data(), kNumbers * sizeof(double));
  ranmar::cuda::Stream<ranmar::Form48> refills(start);
  refills.refill(delivered.data(), kNumbers);
  refills.wait();
  if (delivered != expected) return 1;
  std::printf("first %.15f; device and host agree\n", delivered[0]);
  cudaStreamDestroy(stream);
  cudaFree(memory);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
