// The uncounted first run, which makes the tables that a used run folder has. Writes below the comparison's
// run folders.
#include <fmt/format.h>

#include "overlay/card/card.hpp"
#include "overlay/compare/comparison.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

bool same_bytes(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::is_regular_file(b, error) && support::read_file(a) == support::read_file(b);
}

CompletedRun first_run(const Comparison& comparison, const std::string& build, const std::string& card) {
  RunRequest request;
  request.build = build;
  request.what = "first";
  request.card = card;
  return comparison.run(std::move(request));
}

}  // namespace

void prepare_tables(const Comparison& comparison) {
  Report& report = comparison.report;
  const std::string card = card_of_one_low_shower(comparison.set.card);
  try {
    const CompletedRun stock = first_run(comparison, "stock", card);
    const std::vector<std::string> names = tables_in(stock.result.folder);
    if (!names.empty()) {
      const CompletedRun patched = first_run(comparison, "patched", card);
      const fs::path kept = comparison.runs.claim("tables");
      fs::create_directories(kept);
      report.first_run_identical = true;
      for (const std::string& name : names) {
        if (!same_bytes(stock.result.folder / name, patched.result.folder / name)) {
          report.first_run_identical = false;
          report.table_differences.push_back(
              fmt::format("{}: stock and patched write different tables at their first run", name));
        }
        fs::rename(stock.result.folder / name, kept / name);
        comparison.set.data_files[name] = kept / name;
      }
      report.tables = names;
      comparison.runs.remove(patched);
    }
    comparison.runs.remove(stock);
  } catch (const support::Interrupted&) {
    throw;
  } catch (const support::Error& error) {
    add_note(report,
             fmt::format("runs begin in fresh folders, since the first run with a short card failed: {}",
                         error.what()));
  } catch (const fs::filesystem_error& error) {
    add_note(report, fmt::format("runs begin in fresh folders: {}", error.what()));
  }
}

}  // namespace overlay
