// Matches lines greedily and prints hunks.
#include "corsika_patches/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "corsika_patches/text_file.h"

namespace corsika_patches {
namespace {

struct Op {
  char kind;  ///< ' ', '+', '-'
  std::string_view line;
};

/// Greedy line matching with a short look-ahead: exact for pure insertions and deletions of whole blocks.
std::vector<Op> operations(const TextFile& a, const TextFile& b) {
  std::vector<Op> ops;
  int i = 0;
  int j = 0;
  const int n = a.line_count();
  const int m = b.line_count();
  // True where a[i..] and b[j..] agree on the next few lines.
  const auto agree = [&](int x, int y) {
    int same = 0;
    while (same < 4 && x + same < n && y + same < m && a.raw_line(x + same) == b.raw_line(y + same)) ++same;
    return same == 4 || (same > 0 && (x + same == n || y + same == m));
  };
  constexpr int reach = 400;
  while (i < n || j < m) {
    if (i < n && j < m && a.raw_line(i) == b.raw_line(j)) {
      ops.push_back({' ', a.raw_line(i)});
      ++i, ++j;
      continue;
    }
    int skip = 0;
    bool in_b = false;
    for (const bool sure : {true, false}) {
      for (int d = 1; d <= reach && skip == 0; ++d) {
        if (i < n && j + d < m && a.raw_line(i) == b.raw_line(j + d) && (!sure || agree(i, j + d))) {
          skip = d;
          in_b = true;
        } else if (j < m && i + d < n && a.raw_line(i + d) == b.raw_line(j) && (!sure || agree(i + d, j))) {
          skip = d;
        }
      }
    }
    if (skip > 0 && in_b) {
      while (skip-- > 0) ops.push_back({'+', b.raw_line(j++)});
    } else if (skip > 0) {
      while (skip-- > 0) ops.push_back({'-', a.raw_line(i++)});
    } else {
      if (i < n) ops.push_back({'-', a.raw_line(i++)});
      if (j < m) ops.push_back({'+', b.raw_line(j++)});
    }
  }
  return ops;
}

void put(std::string& out, const Op& op) {
  out += op.kind;
  out += op.line;
  if (!op.line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

}  // namespace

std::string unified_diff(const std::string& before, const std::string& after, const std::string& file) {
  if (before == after) return {};
  constexpr std::size_t context = 3;
  const TextFile a(before);
  const TextFile b(after);
  const auto ops = operations(a, b);
  std::string out = fmt::format("--- a/{}\n+++ b/{}\n", file, file);
  std::size_t at = 0;
  std::size_t line_a = 0;  // lines of each text before ops[at]
  std::size_t line_b = 0;
  while (at < ops.size()) {
    std::size_t change = at;
    while (change < ops.size() && ops[change].kind == ' ') ++change;
    if (change == ops.size()) break;
    const std::size_t begin = std::max(at, change > context ? change - context : 0);
    line_a += begin - at;
    line_b += begin - at;
    std::size_t end = change;
    std::size_t last = change;
    while (end < ops.size() && end <= last + 2 * context) {
      if (ops[end].kind != ' ') last = end;
      ++end;
    }
    end = std::min(ops.size(), last + context + 1);
    std::size_t count_a = 0;
    std::size_t count_b = 0;
    std::string body;
    for (std::size_t k = begin; k < end; ++k) {
      if (ops[k].kind != '+') ++count_a;
      if (ops[k].kind != '-') ++count_b;
      put(body, ops[k]);
    }
    out += fmt::format("@@ -{},{} +{},{} @@\n", count_a == 0 ? line_a : line_a + 1, count_a,
                       count_b == 0 ? line_b : line_b + 1, count_b);
    out += body;
    line_a += count_a;
    line_b += count_b;
    at = end;
  }
  return out;
}

}  // namespace corsika_patches
