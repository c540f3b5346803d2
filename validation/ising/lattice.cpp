// Updates of the Ising model, and the errors of chains.
#include "lattice.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

namespace validation {

Lattice::Lattice(int size, double temperature)
    : row_mask_(static_cast<std::size_t>(size) - 1),
      all_mask_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size) - 1),
      size_(static_cast<std::size_t>(size)),
      bond_(1. - std::exp(-2. / temperature)),
      energy_(-2 * size * size) {
  if (size < 4 || size > 1024 || !std::has_single_bit(static_cast<unsigned>(size)))
    throw std::invalid_argument("the size cannot be " + std::to_string(size) +
                                "; give a power of 2 of 4 to 1024");
  if (!(temperature > 0.)) throw std::invalid_argument("the temperature cannot be 0 or less; give more");
  spin_.assign(all_mask_ + 1, 1);
  for (int i = 0; i < 5; ++i) rise_[i] = i > 2 ? std::exp(-4. * (i - 2) / temperature) : 1.;
}

std::size_t Lattice::neighbour(std::size_t site, int direction) const {
  switch (direction) {
    case 0:
      return (site & ~row_mask_) | ((site + 1) & row_mask_);
    case 1:
      return (site & ~row_mask_) | ((site - 1) & row_mask_);
    case 2:
      return (site + size_) & all_mask_;
    default:
      return (site - size_) & all_mask_;
  }
}

int Lattice::field(std::size_t site) const {
  return spin_[neighbour(site, 0)] + spin_[neighbour(site, 1)] + spin_[neighbour(site, 2)] +
         spin_[neighbour(site, 3)];
}

void Lattice::metropolis_sweep(Draw& draw) {
  for (std::size_t site = 0; site <= all_mask_; ++site) {
    const int aligned = spin_[site] * field(site);  // the energy changes by twice that
    if (aligned > 0 && draw() >= rise_[2 + aligned / 2]) continue;
    spin_[site] = static_cast<std::int8_t>(-spin_[site]);
    energy_ += 2 * aligned;
  }
}

int Lattice::wolff_cluster(Draw& draw) {
  const auto flip = [this](std::size_t site) {
    energy_ += 2 * spin_[site] * field(site);
    spin_[site] = static_cast<std::int8_t>(-spin_[site]);
    pending_.push_back(static_cast<std::uint32_t>(site));
  };
  const auto first = static_cast<std::size_t>(draw() * static_cast<double>(spin_.size()));
  const auto sign = spin_[first];
  int flipped = 1;
  flip(first);
  while (!pending_.empty()) {
    const std::size_t site = pending_.back();
    pending_.pop_back();
    for (int direction = 0; direction < 4; ++direction) {
      const std::size_t other = neighbour(site, direction);
      if (spin_[other] != sign || draw() >= bond_) continue;
      flip(other);
      ++flipped;
    }
  }
  return flipped;
}

void Blocks::add(double energy) {
  const auto block = static_cast<std::size_t>(at_++ / length_);
  if (block >= sums_.size()) return;
  sums_[block].first += energy;
  sums_[block].second += energy * energy;
}

ChainResult Blocks::result(int spins, double temperature) const {
  const double count = static_cast<double>(sums_.size()), length = static_cast<double>(length_);
  const double n = spins;
  Sums all;
  for (const auto& sums : sums_) {
    all.first += sums.first;
    all.second += sums.second;
  }
  const auto heat = [&](double first, double second, double values) {
    const double mean = first / values;
    return (second / values - mean * mean) / (n * temperature * temperature);
  };
  ChainResult result;
  result.energy.value = all.first / (count * length * n);
  result.specific_heat.value = heat(all.first, all.second, count * length);
  double energy_spread = 0., heat_spread = 0., heat_mean = 0.;
  std::vector<double> heats;
  for (const auto& sums : sums_) {
    const double without = (all.first - sums.first) / ((count - 1.) * length * n) - result.energy.value;
    energy_spread += without * without;
    heats.push_back(heat(all.first - sums.first, all.second - sums.second, (count - 1.) * length));
    heat_mean += heats.back() / count;
  }
  for (const double one : heats) heat_spread += (one - heat_mean) * (one - heat_mean);
  result.energy.error = std::sqrt(energy_spread * (count - 1.) / count);
  result.specific_heat.error = std::sqrt(heat_spread * (count - 1.) / count);
  // The jackknife also takes away the first order of the bias.
  result.specific_heat.value = count * result.specific_heat.value - (count - 1.) * heat_mean;
  return result;
}

}  // namespace validation
