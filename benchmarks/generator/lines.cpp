// The lines of the plot: throughput of each backend against numbers a request.
#include "lines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace bench {
namespace {

// One size, and what both lines have there: natural logarithms.
struct Both {
  double log_n, log_fast, lead;  // lead: of fast over slow
};

Crossing between(const Both& a, const Both& b) {
  const double part = a.lead / (a.lead - b.lead);
  return {std::exp(a.log_n + part * (b.log_n - a.log_n)),
          std::exp(a.log_fast + part * (b.log_fast - a.log_fast))};
}

std::string size_in_words(double n) {
  if (n < 9999.5) return fmt::format("{:.0f}", n);
  double exponent = std::floor(std::log10(n));
  double mantissa = std::round(n / std::pow(10., exponent) * 10.) / 10.;
  if (mantissa >= 10.) {
    mantissa /= 10.;
    exponent += 1.;
  }
  return fmt::format("{:.1f}e{:.0f}", mantissa, exponent);
}

}  // namespace

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

std::optional<std::vector<Range>> where_faster(const Line& fast, const Line& slow) {
  std::vector<Both> sizes;
  for (const Point& point : fast.points) {
    const auto other = std::find_if(slow.points.begin(), slow.points.end(),
                                    [&point](const Point& p) { return p.n == point.n; });
    if (other == slow.points.end()) continue;
    const double log_fast = std::log(point.numbers_per_s);
    sizes.push_back(
        {std::log(static_cast<double>(point.n)), log_fast, log_fast - std::log(other->numbers_per_s)});
  }
  if (sizes.empty()) return std::nullopt;

  std::vector<Range> ranges;
  bool above = sizes.front().lead > 0.;
  if (above) ranges.emplace_back();
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    if ((sizes[i].lead > 0.) == above) continue;
    above = !above;
    const Crossing crossing = between(sizes[i - 1], sizes[i]);
    if (above) {
      ranges.push_back({.from = crossing});
    } else {
      ranges.back().to = crossing;
    }
  }
  return ranges;
}

std::vector<Crossover> crossovers_of(const std::vector<Line>& lines) {
  const auto find = [&lines](const std::string& name) {
    return std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.name == name; });
  };
  const std::pair<const char*, const char*> pairs[] = {
      {kSimdOneCore, kStock},      {kDelivered, kStock},       {kDelivered, kSimdOneCore},
      {kDelivered, kSimdAllCores}, {kResident, kSimdAllCores}, {kResident, kBestCurand}};
  std::vector<Crossover> found;
  for (const auto& [fast, slow] : pairs) {
    const auto a = find(fast);
    const auto b = find(slow);
    if (a == lines.end() || b == lines.end()) continue;
    if (auto ranges = where_faster(*a, *b)) found.push_back({fast, slow, std::move(*ranges)});
  }
  return found;
}

std::string in_words(const std::vector<Range>& ranges) {
  if (ranges.empty()) return "never";
  std::string words;
  for (const Range& range : ranges) {
    if (!words.empty()) words += " and ";
    if (range.from && range.to) {
      words += fmt::format("from {} to {}", size_in_words(range.from->n), size_in_words(range.to->n));
    } else if (range.from) {
      words += fmt::format("from {} on", size_in_words(range.from->n));
    } else if (range.to) {
      words += fmt::format("up to {}", size_in_words(range.to->n));
    } else {
      words += "at every size measured";
    }
  }
  return words;
}

}  // namespace bench
