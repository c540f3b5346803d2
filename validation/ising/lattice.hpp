// The two-dimensional Ising model: exact values of a finite lattice, and one updated by Metropolis's and by
// Wolff's rule from a given source of numbers. Touches nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "spin_updates.hpp"

namespace validation {

/// Replaces all of `numbers` by the next ones of a source, each in [0,1).
using Refill = std::function<void(std::vector<double>& numbers)>;

/// Numbers one by one, in their order.
class Draw {
 public:
  /// `block`: numbers that are asked for at a time.
  explicit Draw(Refill refill, std::size_t block = 1 << 14)
      : refill_(std::move(refill)), numbers_(block), at_(block) {}
  double operator()() {
    if (at_ == numbers_.size()) {
      refill_(numbers_);
      at_ = 0;
    }
    return numbers_[at_++];
  }

 private:
  Refill refill_;
  std::vector<double> numbers_;
  std::size_t at_;
};

/// size x size spins with periodic borders, all up at first. Coupling 1. The size is a power of 2 of 4 to
/// 1024.
class Lattice {
 public:
  /// Throws std::invalid_argument where the size is no such power or the temperature not above 0.
  Lattice(int size, double temperature);

  [[nodiscard]] int spins() const { return static_cast<int>(spin_.size()); }
  /// The sum over bonds: -1 for each pair of equal neighbours, +1 for each pair of unequal ones.
  [[nodiscard]] int energy() const { return energy_; }

  /// Visits every spin in turn.
  void metropolis_sweep(Draw& draw);

  /// Flips one cluster, and returns its size.
  int wolff_cluster(Draw& draw);

 private:
  std::vector<std::int8_t> spin_;
  std::vector<std::uint32_t> pending_;
  SpinUpdates updates_;
  int energy_;
};

/// A mean or another quantity of a chain and its standard error by blocking.
struct Measured {
  double value = 0., error = 0.;
};

/// Energy and specific heat per spin of a chain of energies.
struct ChainResult {
  Measured energy, specific_heat;
};

/// Sums of energies and of their squares over some steps.
struct Sums {
  double first = 0., second = 0.;
};

/// Results from at least two blocks of `length` energies each, by the jackknife over blocks (Quenouille
/// 1956). The energies are those of the whole lattice of so many spins; the results are per spin.
ChainResult jackknife(const std::vector<Sums>& blocks, double length, int spins, double temperature);

/// Sums of a chain in blocks of equal length.
class Blocks {
 public:
  Blocks(int count, std::uint64_t length) : sums_(static_cast<std::size_t>(count)), length_(length) {}
  /// Values after the last block are left out.
  void add(double energy) {
    const auto block = static_cast<std::size_t>(at_++ / length_);
    if (block >= sums_.size()) return;
    sums_[block].first += energy;
    sums_[block].second += energy * energy;
  }
  [[nodiscard]] ChainResult result(int spins, double temperature) const {
    return jackknife(sums_, static_cast<double>(length_), spins, temperature);
  }

 private:
  std::vector<Sums> sums_;
  std::uint64_t length_, at_ = 0;
};

/// Per spin, with coupling J = 1 and Boltzmann's constant 1.
struct Exact {
  double energy = 0.;
  double specific_heat = 0.;
};

/// Tc = 2 / ln(1 + sqrt 2) (Onsager 1944).
double critical_temperature();

/// A lattice of size x size spins as Lattice has it; Kaufman (1949), in the form of Ferdinand and Fisher
/// (1969), eq. 2.6. Relative error below 1e-7. Throws std::invalid_argument as Lattice does.
Exact exact_ising(int size, double temperature);

}  // namespace validation
