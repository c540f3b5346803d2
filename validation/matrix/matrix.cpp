// Goes through the combinations: see the header.
#include "matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <sstream>
#include <thread>

#include "document.hpp"
#include "overlay/build/profile.hpp"
#include "overlay/prove/prove.hpp"
#include "runs.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace matrix {
namespace fs = std::filesystem;
namespace {

/// Ends the threads' runs once one of them failed.
struct Ended {};

/// Checksum of the patcher, its rules, our libraries and this program.
std::string checksum_of_programs() {
  const auto self = fs::read_symlink("/proc/self/exe");
  const auto built = self.parent_path().parent_path();
  const fs::path source = MATRIX_SOURCE_ROOT;
  std::string text = support::sha256_of_file(self) +
                     support::sha256_of_file(built / "bin" / "corsika-patch") +
                     support::sha256_of_tree(source / "corsika-patches" / "rules") +
                     support::sha256_of_tree(source / "fortran-bindings" / "include");
  std::istringstream words(support::read_file(built / "fortran-bindings" / "link-line.txt"));
  for (std::string word; words >> word;)
    if (fs::is_regular_file(word)) text += support::sha256_of_file(word);
  return support::sha256_of_text(text);
}

std::string cell_key(const BuildRecord& build, const Column& column) {
  return support::sha256_of_text(build.key + "\n" + build.programs + "\n" + column.name());
}

std::string one_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// "4 min" or "50 s"
std::string duration(double seconds) {
  return seconds < 100 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

/// Folders that a killed call left behind.
void remove_leftovers(const fs::path& folder) {
  fs::create_directories(folder);
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("combination")) left.push_back(entry.path());
  for (const auto& path : left) support::remove_folder(path);
}

}  // namespace

Matrix::Matrix(Options options) : options_(std::move(options)) {
  columns_ = matrix::columns(options_);
  for (auto& combination : combinations(options_, checksum_of_programs())) {
    Row row;
    row.combination = std::move(combination);
    row.cells.resize(columns_.size());
    read_records(row);
    rows_.push_back(std::move(row));
  }
  remove_leftovers(options_.out / "runs");
  left_at_start_ = cells_left();
}

fs::path Matrix::record_of(const Row& row, const std::string& name) const {
  return options_.out / "records" / row.combination.name() / (name + ".json");
}

/// Takes the records that were made from what is there now. What failed or differed is run again.
void Matrix::read_records(Row& row) const {
  row.build.key = row.combination.key;
  const auto build = read_build(record_of(row, "build"));
  if (!build || build->key != row.combination.key || build->state == State::kFailed) return;
  if (build->state == State::kBuilt && build->programs != checksums_of(build->stock, build->patched)) return;
  row.build = *build;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto cell = read_cell(record_of(row, columns_[i].name()));
    const bool again = cell && (cell->state == State::kFailed || cell->state == State::kDiffers ||
                                cell->state == State::kStockStops);
    if (cell && !again && cell->key == cell_key(row.build, columns_[i])) row.cells[i] = *cell;
  }
}

std::size_t Matrix::cells_left() const {
  std::size_t left = 0;
  for (const auto& row : rows_)
    left += std::count_if(row.cells.begin(), row.cells.end(),
                          [](const CellRecord& cell) { return cell.state == State::kLeft; });
  return left;
}

void Matrix::all_cells(Row& row, State state, const std::string& reason) {
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    CellRecord record;
    record.state = state;
    record.reason = reason;
    finish(row, i, record);
  }
}

void Matrix::finish(Row& row, std::size_t column, CellRecord record) {
  record.key = cell_key(row.build, columns_[column]);
  write_cell(record_of(row, columns_[column].name()), record);
  row.cells[column] = record;
  if (record.state == State::kNoLight) return;
  const auto left = cells_left();
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const auto done = static_cast<double>(left_at_start_ - left);
  std::string said = state_name(record.state);
  if (record.state == State::kSame && record.patched_s > 0)
    said += fmt::format(" bytes, gain {:.2f}", record.stock_s / record.patched_s);
  if (!record.reason.empty()) said += ": " + record.reason;
  fmt::print("matrix: {}, {}: {} ({} of {} cells, {}, about {} left)\n", row.combination.title(),
             columns_[column].name(), said, rows_.size() * columns_.size() - left,
             rows_.size() * columns_.size(), duration(elapsed),
             duration(done > 0 ? elapsed / done * static_cast<double>(left) : 0));
  std::fflush(stdout);
}

void Matrix::run() {
  for (auto& row : rows_) {
    const bool left = std::any_of(row.cells.begin(), row.cells.end(),
                                  [](const CellRecord& cell) { return cell.state == State::kLeft; });
    if (!left) continue;
    support::check_interrupt();
    run_row(row);
    write_page();
    if (stopped_) return;
  }
}

void Matrix::run_row(Row& row) {
  overlay::BuildSet set;
  if (!build(row, set)) {
    all_cells(row, row.build.state, row.build.reason);
    return;
  }
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!row.combination.light && columns_[i].cherenkov != "off" && row.cells[i].state == State::kLeft) {
      CellRecord none;
      none.state = State::kNoLight;
      none.reason = "the profile makes no Cherenkov light";
      finish(row, i, none);
    }
  run_cells(row, std::move(set));
}

/// Builds stock and patched. Returns whether both are there; else the record says why not.
bool Matrix::build(Row& row, overlay::BuildSet& set) {
  const auto begin = std::chrono::steady_clock::now();
  auto request = row.combination.request;
  BuildRecord record;
  record.key = row.combination.key;
  try {
    request.prove = options_.prove_steps > 0 && row.combination.light;
    if (request.prove) request.prove_steps = static_cast<std::uint64_t>(options_.prove_steps);
    set = overlay::build_proven(request, {"stock", "patched"});
    record.stock = set.programs.at("stock").executable.string();
    record.patched = set.programs.at("patched").executable.string();
    record.programs = checksums_of(record.stock, record.patched);
    record.state = State::kBuilt;
    record.options = support::join(set.profile.options);
    record.stage = row.combination.light ? set.cherenkov_stage.text() : "no light";
  } catch (const support::Interrupted&) {
    throw;
  } catch (const support::Error& problem) {
    if (support::disk_is_full(options_.out, problem.what())) throw;
    record.state = State::kNotBuilt;
    record.reason = one_line(problem.what());
    try {
      overlay::build_profile(row.combination.request, {"stock"});
      record.state = State::kFailed;
      record.reason = "stock is built, patched is not: " + record.reason;
    } catch (const support::Interrupted&) {
      throw;
    } catch (const support::Error&) {  // stock is not built, for the reason above
    }
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  write_build(record_of(row, "build"), record);
  for (auto& cell : row.cells) cell = {};
  row.build = record;
  read_records(row);  // cells of the same programs still count
  return record.state == State::kBuilt;
}

void Matrix::run_cells(Row& row, overlay::BuildSet set) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < row.cells.size(); ++i)
    if (row.cells[i].state == State::kLeft) left.push_back(i);
  if (left.empty()) return;
  std::atomic<bool> end = false;
  Runs runs(std::move(set), options_.out / "runs", options_.out / "differences" / row.combination.name(),
            options_.timeout_s, [&end] {
              if (end) throw Ended();
              support::check_interrupt();
            });
  try {
    runs.run_stock();
  } catch (const overlay::RunFailed& failed) {
    if (failed.why() == overlay::RunFailed::Why::disk_full) throw;
    all_cells(row, State::kStockStops, one_line(failed.what()));
    return;
  }
  std::mutex mutex;
  std::exception_ptr error;
  std::size_t next = 0;
  const auto work = [&] {
    try {
      for (;;) {
        std::size_t column = 0;
        {
          const std::scoped_lock lock(mutex);
          if (end || next == left.size()) return;
          if (options_.stop_after > 0 && begun_ == options_.stop_after) stopped_ = true;
          if (stopped_) return;
          ++begun_;
          column = left[next++];
        }
        auto record = runs.cell(columns_[column]);
        const std::scoped_lock lock(mutex);
        finish(row, column, std::move(record));
      }
    } catch (const Ended&) {
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!error) error = std::current_exception();
      end = true;
    }
  };
  std::vector<std::thread> threads;
  const int most = options_.jobs > 0 ? options_.jobs : std::max(1U, std::thread::hardware_concurrency());
  for (int i = 0; i < std::min(most, static_cast<int>(left.size())); ++i) threads.emplace_back(work);
  for (auto& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

void Matrix::write_page() const {
  const auto text = to_json(*this);
  support::write_file(options_.out / "matrix.json", text);
  support::write_file(options_.out / "matrix.html", to_page(text));
}

}  // namespace matrix
