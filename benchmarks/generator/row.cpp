// Rows of the benchmark: how they are found, and what their samples say.
#include "row.hpp"

#include <algorithm>

namespace bench {

const Row* find_row(const std::vector<Row>& rows, std::string_view name, std::string_view kind,
                    std::int64_t n) {
  for (const Row& row : rows) {
    if (row.name == name && row.kind == kind && row.n == n) return &row;
  }
  return nullptr;
}

const Row* fastest_row(const std::vector<Row>& rows, std::string_view beginning, std::string_view kind,
                       std::int64_t n) {
  const Row* fastest = nullptr;
  for (const Row& row : rows) {
    if (!row.name.starts_with(beginning) || row.kind != kind || row.n != n) continue;
    if (fastest == nullptr || row.ns_per_number < fastest->ns_per_number) fastest = &row;
  }
  return fastest;
}

void summarize(Row& row, std::size_t bytes) {
  if (row.samples.empty()) return;
  row.ns_per_number = median(row.samples);
  if (row.kind != "skip") row.gb_per_s = static_cast<double>(bytes) / row.ns_per_number;
  const auto [low, high] = std::minmax_element(row.samples.begin(), row.samples.end());
  row.ns_low = *low;
  row.ns_high = *high;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0.;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

}  // namespace bench
