// The lines of the plot: throughput of each backend against numbers per request.
#pragma once

#include <cstdint>
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

}  // namespace bench
