// Chains of the Ising model inside a CUDA kernel, which draws its numbers there: many chains at a time, each
// from subsequences of its own. Uses the current device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lattice.hpp"

namespace validation {

inline constexpr int kMetropolisWarps = 16;  ///< of a chain

struct KernelChains {
  /// The generator in the kernel: cuda-kernel (the 48-bit form), cuda-kernel-form24, cuda-kernel-extended,
  /// cuda-kernel-r250. Forms, Engine, WarpSequence: docs/generator.md.
  std::string source = "cuda-kernel";
  int seed = 12345;
  int size = 64;  ///< a power of 2 of 8 to 256
  double temperature = 0.;
  bool wolff = true;
  int chains = 1;
  std::uint64_t warm = 0;   ///< steps until equilibrium, which do not count; a step is a cluster or a sweep
  std::uint64_t steps = 0;  ///< that count, of each chain
};

/// Runs the chains and returns the sums of each.
///
/// Wolff's rule: one thread makes chain k, with an Engine of subsequence k of the seed; with R250, with seed
/// + k. Metropolis's rule: 16 warps make chain k, warp w with a WarpSequence of subsequence 16 k + w. They
/// update one colour of a chessboard after the other (a checkerboard update), and draw a number for every
/// spin; R250 has no such chains.
///
/// Throws std::invalid_argument where the device cannot have such chains, std::runtime_error where CUDA
/// fails.
std::vector<Sums> run_kernel_chains(const KernelChains& plan);

/// Whether there is a device.
bool has_kernel_device();

}  // namespace validation
