// One row of the benchmark: its median and its name.
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

double median(std::vector<double> values) {
  if (values.empty()) return 0.;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

}  // namespace bench
