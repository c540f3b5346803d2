// The matrix as a whole: builds and runs what has no fresh record, and says how far it is. Writes below
// Options::out alone.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "plan.hpp"
#include "record.hpp"

namespace matrix {

/// A combination with what is known of it.
struct Row {
  Combination combination;
  BuildRecord build;
  std::vector<CellRecord> cells;  ///< one for each column
};

class Matrix {
 public:
  explicit Matrix(Options options);

  /// Builds and runs what is missing. Throws Interrupted where a signal came; the records stay.
  void run();

  /// Whether Options::stop_after ended it.
  bool stopped() const { return stopped_; }
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<Column>& columns() const { return columns_; }
  const Options& options() const { return options_; }

  /// Writes matrix.json and matrix.html with what is known now.
  void write_page() const;

 private:
  void read_records(Row& row) const;
  void run_row(Row& row);
  bool build(Row& row, overlay::BuildSet& set);
  void run_cells(Row& row, overlay::BuildSet set);
  void finish(Row& row, std::size_t column, CellRecord record);
  void all_cells(Row& row, State state, const std::string& reason);
  std::filesystem::path record_of(const Row& row, const std::string& name) const;
  std::size_t cells_left() const;

  Options options_;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
  long begun_ = 0;  ///< cells
  std::size_t left_at_start_ = 0;
  bool stopped_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace matrix
