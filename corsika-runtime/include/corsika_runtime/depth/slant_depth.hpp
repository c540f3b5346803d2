// Slant depth after a distance along the shower axis, from CORSIKA's own table, found without CORSIKA's
// bisection. Reads CORSIKA's table; keeps an index of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cherenkov::corsika {

/// CORSIKA's table, COMMON /CRATMOSL/. Fortran's index 1 is element 0. Distances fall from entry to entry,
/// except in CORSIKA 7.7000: there they rise from one layer of the atmosphere to the next, and bisection does
/// not find the interval that holds the distance.
struct SlantTable {
  const double* distance;     ///< along the axis, cm: PATH1
  const double* depth;        ///< there, g/cm^2: TSLANT
  const std::int32_t* first;  ///< Fortran's index of the entry that is furthest along the axis: IENDT
  std::int32_t last;          ///< Fortran's index of the last entry: MAXSLANT
};

/// CORSIKA's THCKSI, with the same bits. Where distances fall, the interval of the table is a function of the
/// distance alone, whichever way it is found: entries k and k+1 with distance[k+1] < d <= distance[k].
/// Bisection takes 13 comparisons, which a processor mispredicts; here an index of equal cells gives an entry
/// to begin with, and the interval is verified in the table itself. Where distances do not fall, it is
/// CORSIKA's bisection.
class SlantDepth {
 public:
  explicit SlantDepth(const SlantTable& table) : table_(table) { samples_.fill({table.distance, 0}); }

  /// Slant depth, g/cm^2, after `distance` cm along the axis from the top of the atmosphere. If the distance
  /// is negative: 1.5 times the depth of the last entry, as in CORSIKA; beyond the entry that is furthest
  /// along the axis: the depth of that one.
  double operator()(double distance);

  /// Whether CORSIKA's own THCKSI has the same bits at some 4,000 distances: in, at and beside the intervals
  /// of the table, which must be filled.
  [[nodiscard]] bool is_as(double (*thcksi)(const double*));

 private:
  static constexpr int kCells = 16384;
  // By this a table is recognised as the one that was indexed. COORIN fills the whole table for a shower,
  // from its angle, its height and the observation level; where one of these differs, so do these values.
  struct Sample {
    const double* at;
    std::uint64_t bits;
  };

  // Of two neighbouring entries: what interpolation needs, in one cache line. slope: g/cm^3.
  struct alignas(32) Interval {
    double far_distance, near_distance, near_depth, slope;
  };

  [[nodiscard]] double outside(double distance) const;  // of the indexed table, or where that does not fall
  double indexed_anew(double distance);

  SlantTable table_{};
  std::vector<Interval> intervals_;  // from the one that is furthest along the axis on
  // Of each cell the interval where a search begins: the last one at the cell's far end or further.
  std::vector<std::uint32_t> begin_ = std::vector<std::uint32_t>(kCells + 1, 0);
  std::int32_t first_ = 0;           // of the table that is indexed; 0: none is
  std::array<Sample, 3> samples_{};  // of its first, middle and last distance
  // Distances between these are looked for in the index, where the table's fall.
  double low_ = 0., high_ = 0., cells_per_cm_ = 0.;
};

}  // namespace cherenkov::corsika
