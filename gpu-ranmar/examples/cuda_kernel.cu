// Numbers drawn inside a kernel, each thread from a subsequence of its own. Header only: not linked with
// libranmar.
#include <ranmar/engine.hpp>

#include <cstdio>

// Doubles hold these squares and their sum exactly, so that host and device agree.
__host__ __device__ inline bool inside(double x, double y) { return x * x + y * y < 1.; }

__global__ void estimate_pi(std::int32_t seed, unsigned long long* hits, int pairs) {
  ranmar::Engine<ranmar::Form24> engine(seed, blockIdx.x * blockDim.x + threadIdx.x);
  unsigned long long own = 0;
  for (int i = 0; i < pairs; ++i) {
    const float x = engine(), y = engine();
    own += inside(x, y);
  }
  atomicAdd(hits, own);
}

int main() {
  constexpr int kBlocks = 8, kThreads = 64, kPairs = 10000;
  int devices = 0;
  if (const cudaError_t code = cudaGetDeviceCount(&devices); code != cudaSuccess || devices == 0) {
    std::printf("SKIPPED: %s\n", cudaGetErrorString(code));
    return 77;
  }
  unsigned long long* memory = nullptr;
  unsigned long long hits = 0;
  if (cudaMalloc(&memory, sizeof hits) != cudaSuccess) return 1;
  cudaMemset(memory, 0, sizeof hits);
  estimate_pi<<<kBlocks, kThreads>>>(54217137, memory, kPairs);
  if (cudaMemcpy(&hits, memory, sizeof hits, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  cudaFree(memory);

  // The same on the host: the same numbers.
  unsigned long long expected = 0;
  for (int thread = 0; thread < kBlocks * kThreads; ++thread) {
    ranmar::Engine<ranmar::Form24> engine(54217137, static_cast<std::uint64_t>(thread));
    for (int i = 0; i < kPairs; ++i) {
      const float x = engine(), y = engine();
      expected += inside(x, y);
    }
  }
  std::printf("pi is about %.4f; %llu hits on the device, %llu on the host\n",
              4. * static_cast<double>(hits) / (1. * kBlocks * kThreads * kPairs), hits, expected);
  return hits == expected ? 0 : 1;
}
