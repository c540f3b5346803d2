// Updates of the Ising model, and the errors of chains.
#include "lattice.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

namespace validation {

namespace {

/// Spins of a lattice of that size. Throws std::invalid_argument where size or temperature cannot be.
std::size_t checked_spins(int size, double temperature) {
  if (size < 4 || size > 1024 || !std::has_single_bit(static_cast<unsigned>(size)))
    throw std::invalid_argument("the size cannot be " + std::to_string(size) +
                                "; give a power of 2 of 4 to 1024");
  if (!(temperature > 0.)) throw std::invalid_argument("the temperature cannot be 0 or less; give more");
  return static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
}

}  // namespace

Lattice::Lattice(int size, double temperature)
    : spin_(checked_spins(size, temperature), 1),
      pending_(spin_.size()),
      updates_(spin_.data(), size, temperature),
      energy_(-2 * size * size) {}

void Lattice::metropolis_sweep(Draw& draw) {
  for (std::uint32_t site = 0; site < spin_.size(); ++site) energy_ += updates_.metropolis(site, draw);
}

int Lattice::wolff_cluster(Draw& draw) {
  const auto cluster = updates_.wolff_cluster(draw, pending_.data());
  energy_ += cluster.change;
  return static_cast<int>(cluster.size);
}

void Blocks::add(double energy) {
  const auto block = static_cast<std::size_t>(at_++ / length_);
  if (block >= sums_.size()) return;
  sums_[block].first += energy;
  sums_[block].second += energy * energy;
}

ChainResult jackknife(const std::vector<Sums>& blocks, double length, int spins, double temperature) {
  const double count = static_cast<double>(blocks.size());
  const double n = spins;
  Sums all;
  for (const auto& sums : blocks) {
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
  for (const auto& sums : blocks) {
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
