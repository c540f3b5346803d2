// Runs and compares: see the header.
#include "runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <sstream>

#include "overlay/card/card.hpp"
#include "overlay/identity/corsika_log.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/run/program_summary.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace matrix {
namespace fs = std::filesystem;
namespace {

std::string date_and_time() {
  const std::time_t time = std::time(nullptr);
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", std::gmtime(&time));
  return text;
}

/// What our libraries said on standard error, without the lines of counts.
std::string said_in(const std::string& errors) {
  std::istringstream in(errors);
  std::string result;
  for (std::string line; std::getline(in, line);)
    if ((line.starts_with("ranmar:") || line.starts_with("cherenkov:")) &&
        line.find(" backend=") == std::string::npos)
      result += (result.empty() ? "" : "; ") + line;
  return result;
}

/// The device that a column asks for and that the run did not have; empty where it had it, or needs none.
std::string missing_device(const Column& column, const std::string& errors) {
  const auto numbers = overlay::parse_summary(errors, "ranmar:", "draws");
  if ((column.backend == "cuda" || column.backend == "opencl") &&
      (!numbers || numbers->text("backend") != column.backend))
    return column.backend;
  const auto light = overlay::parse_summary(errors, "cherenkov:", "bunches");
  if (column.cherenkov == "gpu" && light && light->text("backend") != "gpu") return "CUDA";
  return {};
}

}  // namespace

Runs::Runs(overlay::BuildSet set, const fs::path& folder, fs::path differences, double timeout_s,
           std::function<void()> poll)
    : set_(std::move(set)),
      folder_(folder, "combination"),
      differences_(std::move(differences)),
      timeout_s_(timeout_s),
      poll_(std::move(poll)) {}

overlay::RunResult Runs::run(const std::string& build, const std::string& what, const std::string& card,
                             const std::map<std::string, std::string>& environment) const {
  overlay::RunSpec spec;
  spec.label = build;
  spec.executable = set_.programs.at(build).executable;
  // Tables beside a run folder are its own: EPOS adds to them.
  spec.folder = overlay::prepare_run_dir(set_, build, card, folder_.path() / what / "run");
  spec.errors = folder_.path() / what / "errors";
  spec.environment = environment;
  spec.timeout_s = timeout_s_ > 0 ? timeout_s_ : stock_ ? std::max(120., 20 * stock_->wall_s) : 0;
  spec.check = poll_;
  spec.end = overlay::kEndOfRun;
  return overlay::run_program(spec);
}

void Runs::prepare_tables() {
  const auto card = overlay::card_of_one_low_shower(set_.card);
  try {
    const auto stock = run("stock", "first-stock", card, {});
    const auto names = overlay::tables_in(stock.folder);
    if (names.empty()) return;
    const auto patched = run("patched", "first-patched", card, Column{"simd", "off"}.environment());
    for (const auto& name : names) {
      std::error_code error;
      if (!fs::is_regular_file(patched.folder / name, error) ||
          support::read_file(stock.folder / name) != support::read_file(patched.folder / name))
        other_tables_ = name + ": stock and patched write different tables at their first run";
      set_.data_files[name] = stock.folder / name;
    }
  } catch (const overlay::RunFailed&) {
    // The card itself then says what is wrong.
  }
}

void Runs::run_stock() {
  prepare_tables();
  stock_ = run("stock", "stock", set_.card, {});
  const auto itself = overlay::compare_folders(stock_->folder, stock_->folder);
  if (!itself.identical)
    throw overlay::RunFailed(overlay::RunFailed::Why::stopped, 0, "stock", itself.could_not_compare);
}

CellRecord Runs::cell(const Column& column) const {
  const auto begin = std::chrono::steady_clock::now();
  CellRecord record;
  record.stock_s = stock_->cpu_s();
  try {
    const auto patched = run("patched", column.name(), set_.card, column.environment());
    record.patched_s = patched.cpu_s();
    compare(patched, column, record);
    support::remove_folder(patched.folder.parent_path());
  } catch (const overlay::RunFailed& failed) {
    if (failed.why() == overlay::RunFailed::Why::disk_full) throw;
    record.state = State::kFailed;
    record.reason = failed.what();
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  record.made = date_and_time();
  return record;
}

void Runs::compare(const overlay::RunResult& patched, const Column& column, CellRecord& record) const {
  const auto identity =
      overlay::compare_folders(stock_->folder, patched.folder, {stock_->first_date, stock_->last_date},
                               {patched.first_date, patched.last_date});
  for (const auto& file : identity.files) record.bytes += file.bytes;
  record.files = identity.files.size();
  const auto said = errors(column.name());
  record.note = said_in(said);
  record.state = State::kSame;
  if (!identity.identical || !other_tables_.empty()) {
    record.state = State::kDiffers;
    record.reason = !other_tables_.empty()     ? other_tables_
                    : identity.reasons.empty() ? "the outputs differ"
                                               : identity.reasons.front();
    keep(patched, column);
  } else if (const auto device = missing_device(column, said); !device.empty()) {
    record.state = State::kNoDevice;
    record.reason = fmt::format(
        "the run used no {} device, because there is none or because it drew few numbers; it has the same "
        "bytes",
        device);
  }
}

void Runs::keep(const overlay::RunResult& patched, const Column& column) const {
  const auto kept = differences_ / column.name();
  support::remove_folder(kept);
  fs::create_directories(kept);
  const auto links = fs::copy_options::recursive | fs::copy_options::copy_symlinks;
  fs::copy(stock_->folder, kept / "stock", links);
  fs::copy(patched.folder, kept / "patched", links);
}

}  // namespace matrix
