#include "corsika_runtime/cherenkov/index_table.hpp"

#include "cherenkov/bunch_lanes.hpp"

namespace cherenkov::corsika {
namespace {

constexpr int kCells = 39999;  // of the package's table (FAST_INTERPOLATION)
constexpr double kFarBelow_cm = -1e6, kFarAbove_cm = 2e7;

// The largest number for which `holds` is true. It is true for `low`, false for `high`, and changes once.
template <class Holds>
double last_where(Holds&& holds, double low, double high) {
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) return low;
    (holds(middle) ? low : high) = middle;
  }
}

}  // namespace

std::optional<IndexTable> IndexTable::of(const Emission& emission) {
  if (!emission.tables || emission.excess == nullptr) return std::nullopt;
  const auto excess = [&](double height) { return emission.excess(&height); };
  // Below its table REFIDX has the lowest height's index, above it that of the vacuum.
  const double most = excess(kFarBelow_cm);
  if (!(most > 0. && most < 1e-3) || excess(kFarAbove_cm) != 0.) return std::nullopt;
  IndexTable table;
  table.low_ = last_where([&](double height) { return excess(height) == most; }, kFarBelow_cm, kFarAbove_cm);
  const double high =
      last_where([&](double height) { return excess(height) > 0.; }, table.low_, kFarAbove_cm);
  table.width_ = (high - table.low_) / kCells;
  for (int i = 0; i <= kCells; ++i)
    table.excess_.push_back(excess(i < kCells ? table.low_ + i * table.width_ : high));

  for (const bool exponential : {false, true}) {
    table.is_exponential_ = exponential;
    if (table.holds(emission)) return table;
  }
  return std::nullopt;
}

// Sets the changes. Whether n is known in nearly all cells.
bool IndexTable::holds(const Emission& emission) {
  int unknown = 0;
  change_.clear();
  for (int cell = 0; cell < kCells; ++cell) {
    const double begin = excess_[static_cast<std::size_t>(cell)];
    const double end = excess_[static_cast<std::size_t>(cell) + 1];
    change_.push_back(is_exponential_ ? std::log(end / begin) : end - begin);
    bool known = true;
    for (const double fraction : {0.2, 0.5, 0.8}) {
      double height = low_ + (cell + fraction) * width_;
      const double own = (height - (low_ + cell * width_)) / width_;
      const double is = emission.excess(&height);
      // Half of the error is left for the rounding of what the device computes.
      known = known && std::fabs(is - view().excess_in(cell, own)) <= 0.5 * view().error_of(is) &&
              emission.index(&height) == 1. + is;
    }
    unknown += known ? 0 : 1;
    if (!known) change_.back() = NAN;
  }
  return unknown <= kCells / 100;
}

// Indices within a layer. Compiled with -ffp-contract=off.

std::optional<ExponentialAir> ExponentialAir::measured(const double* boundary, const double* per_cm,
                                                       double (*density)(double*)) {
  constexpr int kPairs = 2048;      // of a layer
  constexpr double kMargin = 0.8;   // of kError
  constexpr double kLargest = 16.;  // exponent up to which kError holds
  ExponentialAir air;
  std::copy_n(boundary, kLayers + 1, air.layers_.boundary);
  std::copy_n(boundary + 1, kLayers, air.top_.begin());
  std::copy_n(per_cm, kLayers, air.layers_.per_cm);
  for (double height : {boundary[kLayers], 1.5 * boundary[kLayers]}) {
    air.above_ = density(&height);
    if (!(air.above_ == per_cm[kLayers])) return std::nullopt;
  }
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    const double low = air.layers_.boundary[layer], slope = air.layers_.per_cm[layer];
    if (!(slope > 0. && air.find_scale(layer, density))) return std::nullopt;
    double& high = air.layers_.boundary[layer + 1];
    if (layer + 1 == kLayers) high = std::min(high, kLargest / slope);
    if (!(low < high && high * slope <= kLargest)) return std::nullopt;
    const double reach = std::min(AirLayers::kMaxExponent / slope, high - low);
    for (int i = 0; i < kPairs; ++i) {
      // Pairs that fill the layer evenly: multiples of irrational numbers.
      double from = low + std::fmod(i * 0.7548776662466927, 1.) * (high - low);
      double to = from + (2. * std::fmod(i * 0.5698402909980532, 1.) - 1.) * reach;
      if (to < low || to >= high) continue;
      const double found = density(&to);
      const double expected = density(&from) * std::exp((from - to) * slope);
      if (!(found == air.density(to) && std::fabs(found - expected) <= kMargin * kError * found))
        return std::nullopt;
    }
  }
  return air;
}

// The factor before RHOF's exponential, a product of two of CORSIKA's variables, is the number with which all
// of some densities have RHOF's bits.
bool ExponentialAir::find_scale(std::size_t layer, double (*density)(double*)) {
  constexpr int kHeights = 256, kUlps = 8;
  const double low = layers_.boundary[layer], thickness = top_[layer] - low, slope = layers_.per_cm[layer];
  double at = low;
  double scale = density(&at) / std::exp(-at * slope);
  if (!(scale > 0. && std::isfinite(scale))) return false;
  for (int i = 0; i < kUlps; ++i) scale = std::nextafter(scale, 0.);
  for (int i = 0; i <= 2 * kUlps; ++i, scale = std::nextafter(scale, HUGE_VAL)) {
    bool same = true;
    for (int k = 0; same && k < kHeights; ++k) {
      double height = low + std::fmod(k * 0.7548776662466927, 1.) * thickness;
      same = density(&height) == scale * std::exp(-height * slope);
    }
    if (!same) continue;
    scale_[layer] = scale;
    return true;
  }
  return false;
}

double ExponentialAir::density(double height) const {
  for (std::size_t layer = 0; layer < kLayers; ++layer)
    if (height < top_[layer]) return scale_[layer] * std::exp(-height * layers_.per_cm[layer]);
  return above_;
}

void ExponentialAir::find_indices(const Emission& emission, const Reference& reference, const double* height,
                                  std::size_t n, double* index) const {
  constexpr std::size_t kFewest = 2;  // heights for which this pays
  double slope = 0.;
  if (n >= kFewest) {
    const auto [low, high] = std::minmax({height[0], height[n - 1], reference.height});
    slope = layers_.per_cm_of(low, high);
  }
  if (slope != 0.)
    certain_indices(height, n, reference.height, reference.excess, slope, kError, index);
  else
    std::fill_n(index, n, 0.);
  for (std::size_t k = 0; k < n; ++k)
    if (index[k] == 0.) index[k] = 1. + emission.index_per_density * density(height[k]);
}

}  // namespace cherenkov::corsika
