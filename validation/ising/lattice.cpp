// Updates of the Ising model, the errors of chains, and Kaufman's partition function with its derivatives.
#include "lattice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numbers>
#include <stdexcept>

#include "ranmar/engine.hpp"
#include "subjects.hpp"

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

using Real = long double;

/// ln(2 cosh x).
Real log_cosh(Real x) {
  x = std::fabs(x);
  return x + std::log1p(std::exp(-2 * x));
}

/// ln|2 sinh x|; minus infinity for 0.
Real log_sinh(Real x) {
  x = std::fabs(x);
  return x + std::log1p(-std::exp(-2 * x));
}

/// ln Z at coupling k = 1/T.
Real log_partition(int size, Real k) {
  const Real pi = std::numbers::pi_v<Real>;
  const Real base = std::cosh(2 * k) / std::tanh(2 * k);
  Real odd_cosh = 0, odd_sinh = 0, even_cosh = 0, even_sinh = 0;
  const Real first = 2 * k + std::log(std::tanh(k));  // its sign is that of Tc - T
  for (int r = 0; r < size; ++r) {
    const auto gamma = [&](int l) {
      return l == 0 ? first
                    : std::acosh(base - std::cos(static_cast<Real>(l) * pi / static_cast<Real>(size)));
    };
    const Real even = gamma(2 * r) * static_cast<Real>(size) / 2;
    const Real odd = gamma(2 * r + 1) * static_cast<Real>(size) / 2;
    odd_cosh += log_cosh(odd);
    odd_sinh += log_sinh(odd);
    even_cosh += log_cosh(even);
    even_sinh += log_sinh(even);
  }
  // The first factor of the last product has the sign of `first`; taking ln of the sum relative to its
  // largest term.
  const Real sum = 1 + std::exp(odd_sinh - odd_cosh) + std::exp(even_cosh - odd_cosh) +
                   (first < 0 ? -1 : 1) * std::exp(even_sinh - odd_cosh);
  const Real spins = static_cast<Real>(size) * static_cast<Real>(size);
  return -std::log(Real{2}) + spins / 2 * std::log(2 * std::sinh(2 * k)) + odd_cosh + std::log(sum);
}

}  // namespace

ChainResult jackknife(const std::vector<Sums>& blocks, double length, int spins, double temperature) {
  const double count = static_cast<double>(blocks.size());
  Sums all;
  for (const auto& sums : blocks) {
    all.first += sums.first;
    all.second += sums.second;
  }
  // Of a quantity of sums over so many values. The jackknife also takes away the first order of its bias.
  const auto measured = [&](const auto& quantity) {
    std::vector<double> without;
    double mean = 0., spread = 0.;
    for (const auto& sums : blocks) {
      without.push_back(quantity(all.first - sums.first, all.second - sums.second, (count - 1.) * length));
      mean += without.back() / count;
    }
    for (const double one : without) spread += (one - mean) * (one - mean);
    return Measured{count * quantity(all.first, all.second, count * length) - (count - 1.) * mean,
                    std::sqrt(spread * (count - 1.) / count)};
  };
  ChainResult result;
  result.energy = measured([&](double first, double, double values) { return first / (values * spins); });
  result.specific_heat = measured([&](double first, double second, double values) {
    const double mean = first / values;
    return (second / values - mean * mean) / (spins * temperature * temperature);
  });
  return result;
}

ChainResult run_chain(int size, double temperature, bool wolff, std::uint64_t sweeps, Draw& draw) {
  constexpr int kBlocks = 50;
  std::vector<std::int8_t> spin(checked_spins(size, temperature), 1);
  std::vector<std::uint32_t> pending(spin.size());
  SpinUpdates updates(spin.data(), size, temperature);
  int energy = -2 * size * size;
  std::uint64_t flipped = 0;
  const auto update = [&] {  // a sweep, or a cluster
    if (wolff) {
      const auto cluster = updates.wolff_cluster(draw, pending.data());
      energy += cluster.change;
      flipped += cluster.size;
    } else {
      for (std::uint32_t site = 0; site < spin.size(); ++site) energy += updates.metropolis(site, draw);
      flipped += spin.size();
    }
  };
  const auto count = static_cast<double>(spin.size());
  std::uint64_t done = 0;
  const auto per_sweep = [&] { return count * static_cast<double>(done) / static_cast<double>(flipped); };
  // Wolff's chain is one of clusters: their mean size says how many make a sweep.
  const std::uint64_t warm = sweeps / 10;
  for (; done < warm || static_cast<double>(flipped) < count * static_cast<double>(warm); ++done) update();
  const auto steps = static_cast<std::uint64_t>(static_cast<double>(sweeps) * per_sweep());
  const auto length = std::max<std::uint64_t>(steps / kBlocks, 1);
  std::vector<Sums> blocks(kBlocks);
  flipped = done = 0;
  for (auto& sums : blocks)
    for (std::uint64_t step = 0; step < length; ++step, ++done) {
      update();
      sums.add(energy);
    }
  auto result = jackknife(blocks, static_cast<double>(length), size * size, temperature);
  result.updates_per_sweep = per_sweep();
  return result;
}

double critical_temperature() { return 2. / std::log(1. + std::numbers::sqrt2); }

Exact exact_ising(int size, double temperature) {
  const auto spins = static_cast<Real>(checked_spins(size, temperature));
  const Real k = 1 / static_cast<Real>(temperature), h = 0.02L / static_cast<Real>(size) * k;
  std::array<Real, 7> f{};
  for (int i = 0; i < 7; ++i)
    f[static_cast<std::size_t>(i)] = log_partition(size, k + static_cast<Real>(i - 3) * h);
  // Central differences of sixth order.
  const Real slope = (45 * (f[4] - f[2]) - 9 * (f[5] - f[1]) + (f[6] - f[0])) / (60 * h);
  const Real curvature =
      (270 * (f[4] + f[2]) - 27 * (f[5] + f[1]) + 2 * (f[6] + f[0]) - 490 * f[3]) / (180 * h * h);
  return {static_cast<double>(-slope / spins), static_cast<double>(k * k * curvature / spins)};
}

Draw open_source(const std::string& name, int seed) {
  using ranmar::Engine, ranmar::Form48;
  if (name == "form48") return Engine<Form48>(seed);
  if (name == "form24") return Engine<ranmar::Form24>(seed);
  if (name == "extended") return Engine<ranmar::FormExtended48>(seed);
  if (name == "instances") {  // eight instances of one sequence in turn
    std::vector<Engine<Form48>> engines;
    for (std::uint64_t k = 0; k < 8; ++k) engines.emplace_back(seed, k);
    return [engines, i = std::size_t{0}]() mutable { return engines[i++ % 8](); };
  }
  if (name == "r250")
    return [r250 = R250(static_cast<std::uint32_t>(seed))]() mutable { return r250() * 0x1p-32; };
  throw std::invalid_argument("the source cannot be " + name + "; see --help");
}

}  // namespace validation
