// The lines of the plot: throughput of each backend against numbers a request.
#include "lines.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace bench {

std::vector<Line> lines_of(const std::vector<Row>& rows) {
  int most_threads = 1;
  for (const Row& row : rows) most_threads = std::max(most_threads, row.threads);

  const auto named = [](const char* kind, const char* name) {
    return [=](const Row& row) { return row.kind == kind && row.name == name; };
  };
  const auto simd = [](int threads) {
    return
        [=](const Row& row) { return row.kind == "threads" && row.name == "simd" && row.threads == threads; };
  };
  const auto on_device = [](const char* beginning) {
    return [=](const Row& row) { return row.kind == "device" && row.name.starts_with(beginning); };
  };
  struct Wanted {
    const char* name;
    std::function<bool(const Row&)> fits;
  };
  std::vector<Wanted> wanted = {{kStock, named("generate", "stock loop")},
                                {"reference, one core", named("generate", "reference")},
                                {kSimdOneCore, simd(1)}};
  if (most_threads > 1) wanted.push_back({kSimdAllCores, simd(most_threads)});
  wanted.push_back({kResident, named("device", "cuda 48-bit")});
  wanted.push_back({kDelivered, named("host", "cuda 48-bit")});
  wanted.push_back({"opencl, device-resident", named("device", "opencl 48-bit")});
  wanted.push_back({"opencl, delivered to the host", named("host", "opencl 48-bit")});
  wanted.push_back({kBestCurand, on_device("cuRAND ")});
  wanted.push_back({"fill, device memory", on_device("fill ")});
  wanted.push_back({"fill, one core", named("generate", "fill")});

  std::vector<Line> lines;
  for (const Wanted& one : wanted) {
    std::map<std::int64_t, double> fastest;
    for (const Row& row : rows) {
      if (!one.fits(row) || row.ns_per_number <= 0.) continue;
      double& rate = fastest[row.n];
      rate = std::max(rate, 1e9 / row.ns_per_number);
    }
    if (fastest.empty()) continue;
    Line line{one.name, {}};
    for (const auto& [n, rate] : fastest) line.points.push_back({n, rate});
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace bench
