// The matrix as matrix.json and as a page. Computes only.
#pragma once

#include <string>

namespace matrix {

class Matrix;

/// What all cells come to.
struct Verdict {
  int same = 0, differ = 0, failed = 0, not_built = 0, no_device = 0, no_light = 0, stock_stops = 0, left = 0;

  /// Whether at least one cell has the same bytes so far, and none has other bytes or failed. Cells in which
  /// nothing could be compared do not count. Whether all cells were run: `finished` in matrix.json.
  bool holds() const { return same > 0 && differ == 0 && failed == 0; }
};
Verdict verdict_of(const Matrix& matrix);

/// matrix.json: made, command, machine, holds, finished, counts {same, differ, failed, not_built, no_device,
/// no_light, stock_stops, left, compared: same + differ}, showers, erange, columns[], problems[], rows[]
/// {release, sha256, profile, flags, models, options, stage, state, reason, build_s, cells[] {column, state,
/// reason, note, files, bytes, stock_s, patched_s, gain, seconds, made}}.
std::string to_json(const Matrix& matrix);

/// The page, from the text of matrix.json.
std::string to_page(const std::string& json);

}  // namespace matrix
