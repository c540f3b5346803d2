/// Where on the detection plane light can reach a telescope: the first and quickest test of a bunch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cherenkov {

/// A square on the detection plane, cm. Light can hit its telescope only if it arrives within half_width of
/// (x, y), in x and in y.
struct Footprint {
  double x, y, half_width;
};

/// A square map of cells, one bit each: set where a point of the cell is within `margin` of a footprint.
/// Every footprint lies inside, and the cells along the edge are clear. So SIMD lanes may move a point beyond
/// the map to its edge: the answer is the same.
class FootprintMap {
 public:
  static constexpr int kCells = 512;  ///< along a side: 32 KiB of bits

  /// No footprint at all.
  FootprintMap() = default;

  /// footprints: of all telescopes of all copies of the array; margin in cm, >= 0.
  /// Throws std::invalid_argument where a half width or the margin is negative, or a value is not finite or
  /// beyond 1e10.
  FootprintMap(std::span<const Footprint> footprints, double margin);

  /// Whether light that arrives at (x, y), in cm, can hit a telescope. True: it may. False: it certainly
  /// cannot, if x and y are numbers. Also false where x or y is not a number; callers must exclude that.
  [[nodiscard]] bool reachable(double x, double y) const {
    const double column = (x - x_low_) * cells_per_cm_;
    const double row = (y - y_low_) * cells_per_cm_;
    if (!(column >= 0. && column < kCells && row >= 0. && row < kCells)) return false;
    const int cell = static_cast<int>(row) * kCells + static_cast<int>(column);
    return (bits_[static_cast<std::size_t>(cell >> 5)] >> (cell & 31) & 1) != 0;
  }

  /// The map for SIMD lanes; lengths in cm. Cell (column, row) of reachable() is number row*kCells +
  /// column; number i is bit i % 32 of bits()[i / 32].
  [[nodiscard]] double x_low() const { return x_low_; }
  [[nodiscard]] double y_low() const { return y_low_; }
  [[nodiscard]] double cells_per_cm() const { return cells_per_cm_; }
  [[nodiscard]] const std::uint32_t* bits() const { return bits_.data(); }

 private:
  double x_low_ = 0., y_low_ = 0.;
  double cells_per_cm_ = 1.;
  std::vector<std::uint32_t> bits_ = std::vector<std::uint32_t>(kCells * kCells / 32);
};

}  // namespace cherenkov
