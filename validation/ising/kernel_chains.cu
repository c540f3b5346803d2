// The kernels of lattice.hpp's chains.
#include <cuda_runtime.h>

#include <stdexcept>

#include "lattice.hpp"
#include "ranmar/cuda/device.cuh"
#include "src/cuda/runtime.hpp"
#include "subjects.hpp"

namespace validation {
namespace {

using ranmar::cuda::check;

/// Exact: energies are integers below 2^18, and a chain has fewer than 2^27 steps.
struct IntegerSums {
  long long first, second;
};

struct KernelPlan {
  int seed;
  unsigned long long warm, steps;
};

struct R250OfChain {
  R250 r250;
  __device__ R250OfChain(int seed, unsigned chain) : r250(static_cast<std::uint32_t>(seed) + chain) {}
  __device__ double operator()() { return r250() * 0x1p-32; }
};

__device__ void add(IntegerSums& sums, long long energy) {
  sums.first += energy;
  sums.second += energy * energy;
}

template <class Draw>
__global__ void wolff_chains(KernelPlan plan, SpinUpdates chances, std::uint16_t* pending,
                             IntegerSums* results) {
  extern __shared__ std::int8_t spin[];
  SpinUpdates updates(spin, chances);
  for (unsigned site = 0; site < updates.spins(); ++site) spin[site] = 1;
  Draw draw(plan.seed, blockIdx.x);
  std::uint16_t* own = pending + std::size_t{blockIdx.x} * updates.spins();
  long long energy = -2LL * updates.spins();
  IntegerSums sums{0, 0};
  for (unsigned long long step = 0; step < plan.warm + plan.steps; ++step) {
    energy += updates.wolff_cluster(draw, own).change;
    if (step >= plan.warm) add(sums, energy);
  }
  results[blockIdx.x] = sums;
}

template <class Form>
__global__ void metropolis_chains(KernelPlan plan, SpinUpdates chances, IntegerSums* results) {
  extern __shared__ std::int8_t spin[];
  __shared__ int change;  // of energy, of a sweep
  SpinUpdates updates(spin, chances);
  const unsigned warp = threadIdx.x / ranmar::cuda::kRow, lane = threadIdx.x % ranmar::cuda::kRow;
  for (unsigned site = threadIdx.x; site < updates.spins(); site += blockDim.x) spin[site] = 1;
  ranmar::cuda::WarpSequence<Form> sequence(plan.seed, blockIdx.x * kMetropolisWarps + warp, 0);
  if (threadIdx.x == 0) change = 0;
  long long energy = -2LL * updates.spins();
  IntegerSums sums{0, 0};
  __syncthreads();
  for (unsigned long long step = 0; step < plan.warm + plan.steps; ++step) {
    int own = 0;
    for (unsigned colour = 0; colour < 2; ++colour) {
      for (unsigned row = warp * ranmar::cuda::kRow; row < updates.spins() / 2; row += blockDim.x) {
        const double number = sequence.next();
        own += updates.metropolis(updates.chessboard(row + lane, colour), [number] { return number; });
      }
      __syncthreads();
    }
    own = __reduce_add_sync(ranmar::cuda::kAllLanes, own);
    if (lane == 0) atomicAdd(&change, own);
    __syncthreads();
    if (threadIdx.x == 0) {
      energy += change;
      change = 0;
      if (step >= plan.warm) add(sums, energy);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) results[blockIdx.x] = sums;
}

template <class Kernel, class... Arguments>
void launch(Kernel kernel, const KernelChains& plan, int threads, Arguments... arguments) {
  const int bytes = plan.size * plan.size;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "shared memory");
  kernel<<<static_cast<unsigned>(plan.chains), static_cast<unsigned>(threads),
           static_cast<std::size_t>(bytes)>>>(arguments...);
  check(cudaGetLastError(), "start of the kernel");
}

void start(const KernelChains& plan, std::uint16_t* pending, IntegerSums* results) {
  const KernelPlan kernel{plan.seed, plan.warm, plan.steps};
  const SpinUpdates chances(nullptr, plan.size, plan.temperature);
  constexpr int kThreads = kMetropolisWarps * ranmar::cuda::kRow;
  const auto with = [&]<class Form>(Form) {
    if (plan.wolff)
      launch(wolff_chains<ranmar::Engine<Form>>, plan, 1, kernel, chances, pending, results);
    else
      launch(metropolis_chains<Form>, plan, kThreads, kernel, chances, results);
  };
  if (plan.source == "cuda-kernel") return with(ranmar::Form48{});
  if (plan.source == "cuda-kernel-form24") return with(ranmar::Form24{});
  if (plan.source == "cuda-kernel-extended") return with(ranmar::FormExtended48{});
  if (plan.source != "cuda-kernel-r250")
    throw std::invalid_argument("the source cannot be " + plan.source + "; see --help");
  launch(wolff_chains<R250OfChain>, plan, 1, kernel, chances, pending, results);
}

}  // namespace

std::vector<Sums> run_kernel_chains(const KernelChains& plan) {
  if (plan.size < 8 || plan.size > 256 || (plan.size & (plan.size - 1)) != 0)
    throw std::invalid_argument("the size cannot be " + std::to_string(plan.size) +
                                " in a kernel; give a power of 2 of 8 to 256");
  if (!plan.wolff && plan.source == "cuda-kernel-r250")
    throw std::invalid_argument("R250 has no chains of Metropolis's rule in a kernel; give wolff");
  const auto count = static_cast<std::size_t>(plan.chains);
  const auto spins = static_cast<std::size_t>(plan.size) * static_cast<std::size_t>(plan.size);
  const auto results = ranmar::cuda::new_memory(count * sizeof(IntegerSums));
  const auto pending = ranmar::cuda::new_memory(plan.wolff ? count * spins * sizeof(std::uint16_t) : 1);
  start(plan, static_cast<std::uint16_t*>(pending.get()), static_cast<IntegerSums*>(results.get()));
  std::vector<IntegerSums> integers(count);
  check(cudaMemcpy(integers.data(), results.get(), count * sizeof(IntegerSums), cudaMemcpyDeviceToHost),
        "the chains");
  std::vector<Sums> sums;
  for (const auto& one : integers)
    sums.push_back({static_cast<double>(one.first), static_cast<double>(one.second)});
  return sums;
}

bool has_kernel_device() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

}  // namespace validation
