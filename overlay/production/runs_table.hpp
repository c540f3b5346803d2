// runs.tsv: one line a run, all of the same length, so that a worker reads its own line alone. Computes text;
// the caller writes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overlay/production/plan.hpp"

namespace overlay {

/// The lines of a plan's runs.tsv. Columns are run, seed1, seed2, ..., setting (from 0), zenith, atmosphere,
/// primary, each padded with blanks, with tabs between them. With offsets a seed's column holds
/// `seed+calls+billions`.
class RunsTable {
 public:
  explicit RunsTable(const ProductionPlan& plan);

  /// Bytes of a line, its line end included. The header has as many.
  std::size_t line_bytes() const { return line_bytes_; }
  std::string header() const { return header_; }
  /// Appends a run's line.
  void append(std::string& text, const PlannedRun& run) const;

 private:
  const ProductionPlan& plan_;
  std::size_t run_width_ = 0;
  std::vector<std::size_t> seed_widths_;
  std::vector<std::string> setting_texts_;  ///< the last four columns of each setting
  std::string header_;
  std::size_t line_bytes_ = 0;
};

/// A sequence's start as runs.tsv has it: the seed, with `+calls+billions` behind it where numbers are
/// skipped.
std::string start_text(const SequenceStart& start, SeedMode mode);

}  // namespace overlay
