// Where one backend passes another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lines.hpp"

namespace bench {

/// A place where two lines cross.
struct Crossing {
  double n = 0.;  ///< numbers per request, interpolated
  double numbers_per_s = 0.;
};

/// A range of sizes in which one line is above another.
struct Range {
  std::optional<Crossing> from = {};  ///< nothing: from the smallest size that both cover
  std::optional<Crossing> to = {};    ///< nothing: up to the largest
};

struct Crossover {
  std::string fast, slow;     ///< names of the lines
  std::vector<Range> faster;  ///< where `fast` is above `slow`, ascending; empty: at no size measured
};

/// Where `fast` is above `slow`, in the range of sizes that both cover, with straight lines between measured
/// sizes in the logarithms of size and throughput. Nothing where they cover no size in common.
std::optional<std::vector<Range>> where_faster(const Line& fast, const Line& slow);

/// The pairs of lines that a user asks about, those of which both lines are there: simd against the stock
/// loop; numbers delivered by a device against the stock loop, simd on one core and on all; device-resident
/// ones against simd on all cores and against cuRAND.
std::vector<Crossover> crossovers_of(const std::vector<Line>& lines);

/// "never", "at every size measured", "from 5.3e5 on", "up to 300", "from 300 to 5.3e5", and "and" between
/// several.
std::string in_words(const std::vector<Range>& ranges);

}  // namespace bench
