// Runs and compares: see the header.
#include "card_runs.hpp"

#include "overlay/identity/identity.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/run/runner.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/temporary_folder.hpp"

namespace random_cards {
namespace fs = std::filesystem;
namespace {

overlay::RunResult run(const overlay::BuildSet& set, const std::string& build, const RandomCard& card,
                       const fs::path& folder, double limit_s, const std::function<void()>& poll) {
  overlay::RunSpec spec;
  spec.label = build;
  spec.executable = set.programs.at(build).executable;
  spec.folder = overlay::prepare_run_dir(set, build, card.card, folder / build / "run");
  spec.errors = folder / build / "errors";
  if (build == "patched") spec.environment = card.environment;
  spec.timeout_s = limit_s;
  spec.check = poll;
  spec.end = overlay::kEndOfRun;
  return overlay::run_program(spec);
}

/// Compares with stock what the patched program wrote.
CardResult compare(const overlay::BuildSet& set, const RandomCard& card, const overlay::RunResult& stock,
                   const fs::path& folder, double limit_s, const std::function<void()>& poll) {
  CardResult result;
  result.stock_s = stock.cpu_s();
  try {
    const auto patched = run(set, "patched", card, folder, limit_s, poll);
    result.patched_s = patched.cpu_s();
    const auto identity =
        overlay::compare_folders(stock.folder, patched.folder, {stock.first_date, stock.last_date},
                                 {patched.first_date, patched.last_date});
    result.verdict = identity.identical   ? Verdict::same
                     : identity.differs() ? Verdict::other
                                          : Verdict::unclear;
    result.reason = identity.differs() && !identity.reasons.empty() ? identity.reasons.front()
                                                                    : identity.could_not_compare;
  } catch (const overlay::RunFailed& failed) {
    if (failed.why() == overlay::RunFailed::Why::disk_full) throw;
    result.verdict = Verdict::other;
    result.reason = failed.what();
  }
  return result;
}

void keep(const RandomCard& card, const fs::path& made, const fs::path& kept) {
  support::remove_folder(kept);
  fs::create_directories(kept.parent_path());
  fs::rename(made, kept);
  support::write_file(kept / "card", card.card);
  std::string settings;
  for (const auto& [name, value] : card.environment)
    settings.append(name).append("=").append(value).append("\n");
  support::write_file(kept / "settings", settings);
}

}  // namespace

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return "same";
    case Verdict::other:
      return "other bytes";
    case Verdict::refused:
      return "stock refuses";
    case Verdict::too_long:
      return "too long";
    case Verdict::unclear:
      return "not comparable";
  }
  return "";
}

CardResult run_card(const overlay::BuildSet& set, const RandomCard& card, const fs::path& folder,
                    const fs::path& kept, double limit_s, const std::function<void()>& poll) {
  const support::TemporaryFolder made(folder, "card");
  const fs::path runs = made.path() / "runs";
  CardResult result;
  try {
    const auto stock = run(set, "stock", card, runs, limit_s, poll);
    result = compare(set, card, stock, runs, 3 * limit_s, poll);
  } catch (const overlay::RunFailed& failed) {
    if (failed.why() == overlay::RunFailed::Why::disk_full) throw;
    result.verdict =
        failed.why() == overlay::RunFailed::Why::timed_out ? Verdict::too_long : Verdict::refused;
    result.reason = failed.what();
  }
  if (result.verdict == Verdict::other || result.verdict == Verdict::unclear) keep(card, runs, kept);
  return result;
}

}  // namespace random_cards
