// Where one backend passes another.
#include "crossover.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>
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

// The logarithm of the line's throughput at a size between its smallest and largest.
double log_rate(const Line& line, std::int64_t n) {
  const auto after = std::lower_bound(line.points.begin(), line.points.end(), n,
                                      [](const Point& point, std::int64_t size) { return point.n < size; });
  const double rate = std::log(after->numbers_per_s);
  if (after->n == n) return rate;
  const auto before = std::prev(after);
  const auto log_of = [](std::int64_t size) { return std::log(static_cast<double>(size)); };
  const double part = (log_of(n) - log_of(before->n)) / (log_of(after->n) - log_of(before->n));
  return std::log(before->numbers_per_s) * (1. - part) + rate * part;
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

std::optional<std::vector<Range>> where_faster(const Line& fast, const Line& slow) {
  if (fast.points.empty() || slow.points.empty()) return std::nullopt;
  const std::int64_t first = std::max(fast.points.front().n, slow.points.front().n);
  const std::int64_t last = std::min(fast.points.back().n, slow.points.back().n);
  std::set<std::int64_t> measured;
  for (const Line* line : {&fast, &slow}) {
    for (const Point& point : line->points) {
      if (point.n >= first && point.n <= last) measured.insert(point.n);
    }
  }
  if (measured.empty()) return std::nullopt;
  std::vector<Both> sizes;
  for (const std::int64_t n : measured) {
    const double log_fast = log_rate(fast, n);
    sizes.push_back({std::log(static_cast<double>(n)), log_fast, log_fast - log_rate(slow, n)});
  }

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
