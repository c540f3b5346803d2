// The two-dimensional Ising model: exact values of a finite lattice, and one updated by Metropolis's and by
// Wolff's rule from a given source of numbers. Touches nothing.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ranmar/form.hpp"

namespace validation {

// Updates of the two-dimensional Ising model: one source for the host and for CUDA kernels, so that both make
// the same chain from the same numbers. Touches only the spins that it is given.

/// size x size spins with periodic borders; coupling 1. The energy is the sum over bonds, -1 for each pair of
/// equal neighbours. The size is a power of 2 of at least 4.
class SpinUpdates {
 public:
  RANMAR_HOST_DEVICE SpinUpdates(std::int8_t* spin, int size, double temperature)
      : spin_(spin),
        size_(static_cast<std::uint32_t>(size)),
        row_mask_(size_ - 1),
        all_mask_(size_ * size_ - 1),
        rise_{1., std::exp(-4. / temperature), std::exp(-8. / temperature)},
        bond_(1. - std::exp(-2. / temperature)) {}

  /// The same for other spins, with the acceptance probabilities of `other`, which the host computed: a
  /// device's exp may differ from the host's in its last bit.
  RANMAR_HOST_DEVICE SpinUpdates(std::int8_t* spin, const SpinUpdates& other) : SpinUpdates(other) {
    spin_ = spin;
  }

  [[nodiscard]] RANMAR_HOST_DEVICE std::uint32_t spins() const { return all_mask_ + 1; }

  /// Flips a spin or leaves it, by Metropolis's rule (Metropolis et al. 1953). `draw` gives a number of
  /// [0,1); it is called where the energy would rise. Returns the change of energy.
  template <class Draw>
  RANMAR_HOST_DEVICE int metropolis(std::uint32_t site, Draw&& draw) {
    const int aligned = spin_[site] * field(site);  // the energy changes by twice that
    if (aligned > 0 && draw() >= rise_[aligned / 2]) return 0;
    spin_[site] = static_cast<std::int8_t>(-spin_[site]);
    return 2 * aligned;
  }

  /// Site k of one colour of a chessboard, k from 0 to spins() / 2 - 1. Sites of a colour are no neighbours
  /// of each other, so they can be updated at the same time.
  [[nodiscard]] RANMAR_HOST_DEVICE std::uint32_t chessboard(std::uint32_t k, std::uint32_t colour) const {
    const std::uint32_t half = size_ / 2, row = k / half;
    return row * size_ + 2 * (k % half) + ((row + colour) & 1U);
  }

  struct Cluster {
    std::uint32_t size;
    int change;  ///< of energy
  };

  /// Flips one cluster (Wolff 1989). One number for the first spin, one for each bond that is tried.
  /// `pending` has room for spins() sites.
  template <class Site, class Draw>
  RANMAR_HOST_DEVICE Cluster wolff_cluster(Draw&& draw, Site* pending) {
    const auto first = static_cast<std::uint32_t>(draw() * static_cast<double>(spins()));
    const std::int8_t sign = spin_[first];
    Cluster cluster{1, flip(first)};
    std::uint32_t waiting = 0;
    pending[waiting++] = static_cast<Site>(first);
    while (waiting > 0) {
      const std::uint32_t site = pending[--waiting];
      for (int direction = 0; direction < 4; ++direction) {
        const std::uint32_t other = neighbour(site, direction);
        if (spin_[other] != sign || draw() >= bond_) continue;
        cluster.change += flip(other);
        ++cluster.size;
        pending[waiting++] = static_cast<Site>(other);
      }
    }
    return cluster;
  }

 private:
  [[nodiscard]] RANMAR_HOST_DEVICE std::uint32_t neighbour(std::uint32_t site, int direction) const {
    const std::uint32_t row = site & ~row_mask_;
    if (direction == 0) return row | ((site + 1) & row_mask_);
    if (direction == 1) return row | ((site - 1) & row_mask_);
    return (direction == 2 ? site + size_ : site - size_) & all_mask_;
  }

  [[nodiscard]] RANMAR_HOST_DEVICE int field(std::uint32_t site) const {
    return spin_[neighbour(site, 0)] + spin_[neighbour(site, 1)] + spin_[neighbour(site, 2)] +
           spin_[neighbour(site, 3)];
  }

  RANMAR_HOST_DEVICE int flip(std::uint32_t site) {
    const int change = 2 * spin_[site] * field(site);
    spin_[site] = static_cast<std::int8_t>(-spin_[site]);
    return change;
  }

  std::int8_t* spin_;
  std::uint32_t size_, row_mask_, all_mask_;
  double rise_[3];  // acceptance probability of a flip, by its change of energy: 0, 4, 8
  double bond_;     // probability that an equal neighbour joins the cluster
};

/// Gives the next number of a source, in [0,1).
using Draw = std::function<double()>;

/// A mean or another quantity of a chain and its standard error by blocking.
struct Measured {
  double value = 0., error = 0.;
};

/// Energy and specific heat per spin of a chain of energies; how many updates flip as many spins as there
/// are.
struct ChainResult {
  Measured energy, specific_heat;
  double updates_per_sweep = 0.;
};

/// Sums of energies and of their squares over some steps.
struct Sums {
  double first = 0., second = 0.;
  void add(double energy) {
    first += energy;
    second += energy * energy;
  }
};

/// Results from at least two blocks of `length` energies each, by the jackknife over blocks (Quenouille
/// 1956). The energies are those of the whole lattice of so many spins; the results are per spin.
ChainResult jackknife(const std::vector<Sums>& blocks, double length, int spins, double temperature);

/// The result of a chain of so many sweeps, in 50 blocks, after a tenth of them, on size x size spins, all up
/// at first. The size is a power of 2 of 4 to 1024. Throws std::invalid_argument where it is not, or the
/// temperature is not above 0.
ChainResult run_chain(int size, double temperature, bool wolff, std::uint64_t sweeps, Draw& draw);

/// Per spin, with coupling J = 1 and Boltzmann's constant 1.
struct Exact {
  double energy = 0.;
  double specific_heat = 0.;
};

/// Tc = 2 / ln(1 + sqrt 2) (Onsager 1944).
double critical_temperature();

/// A lattice of size x size spins; Kaufman (1949), in the form of Ferdinand and Fisher
/// (1969), eq. 2.6. Relative error below 1e-7. Throws std::invalid_argument as run_chain() does.
Exact exact_ising(int size, double temperature);

/// The numbers of a source, from their first on, for a seed of 1 to 900000000. Sources: form48 (every backend
/// gives its numbers: validation/known-answers), form24, extended, instances (8 subsequences of one sequence
/// in turn), r250. Forms: docs/generator.md. Throws std::invalid_argument where the source is not known.
Draw open_source(const std::string& name, int seed);

// Chains of the Ising model inside a CUDA kernel, which draws its numbers there: many chains at a time, each
// from subsequences of its own. Uses the current device.

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
