// The lines of the plot: throughput of each backend against numbers per request; and where they cross.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "row.hpp"

namespace bench {

struct Point {
  std::int64_t n = 0;  ///< numbers per request
  double numbers_per_s = 0.;
};

struct Line {
  std::string name;           ///< as the plot's legend has it
  std::vector<Point> points;  ///< n ascending, each once
};

// Names of the lines that crossovers_of() compares.
inline constexpr const char* kStock = "stock loop";
inline constexpr const char* kSimdOneCore = "simd, one core";
inline constexpr const char* kSimdAllCores = "simd, all cores";
inline constexpr const char* kDelivered = "cuda, delivered to the host";
inline constexpr const char* kResident = "cuda, device-resident";
inline constexpr const char* kBestCurand = "best of cuRAND, device-resident";

/// The lines for which there are rows: stock loop, reference, simd on one core and on all (if there are
/// more), the 48-bit form of the CUDA and of the OpenCL backend, resident and delivered, the best of cuRAND,
/// and plain fills of memory, on one core and on a device. Where several rows fit a point, it is the fastest.
std::vector<Line> lines_of(const std::vector<Row>& rows);

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

/// Where `fast` is above `slow`, of the sizes that both have, with straight lines between them in the
/// logarithms of size and throughput. Nothing where they have no size in common.
std::optional<std::vector<Range>> where_faster(const Line& fast, const Line& slow);

/// The pairs of lines that a user asks about, those of which both lines are there: simd against the stock
/// loop; numbers delivered by a device against the stock loop, simd on one core and on all; device-resident
/// ones against simd on all cores and against cuRAND.
std::vector<Crossover> crossovers_of(const std::vector<Line>& lines);

/// "never", "at every size measured", "from 5.3e5 on", "up to 300", "from 300 to 5.3e5", and "and" between
/// several.
std::string in_words(const std::vector<Range>& ranges);

}  // namespace bench
