// Updates of the two-dimensional Ising model: one source for the host and for CUDA kernels, so that both make
// the same chain from the same numbers. Touches only the spins that it is given.
#pragma once

#include <cmath>
#include <cstdint>

#include "ranmar/form.hpp"

namespace validation {

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

}  // namespace validation
