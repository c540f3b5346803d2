// Runs and compares: see the header.
#include "card_runs.hpp"

#include <set>

#include "overlay/card/expected_outputs.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/run/runner.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/temporary_folder.hpp"

namespace random_cards {
namespace fs = std::filesystem;
namespace {

const std::set<std::string> kNoOutputs{"card"};

/// The last line of a run's log with something in it.
std::string last_line(const fs::path& log) {
  std::string text = fs::exists(log) ? support::read_file(log) : std::string();
  text.erase(text.find_last_not_of(" \n") + 1);
  const std::string line = text.substr(text.find_last_of('\n') + 1);
  return line.substr(std::min(line.size(), line.find_first_not_of(' ')));
}

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
  return overlay::run_program(spec);
}

/// Compares with stock what the patched program wrote.
CardResult compare(const overlay::BuildSet& set, const RandomCard& card, const overlay::RunResult& stock,
                   const fs::path& folder, double limit_s, const std::function<void()>& poll) {
  const auto expected = overlay::expected_outputs(card.card, set.profile.options);
  CardResult result;
  result.stock_s = stock.cpu_s();
  const auto itself = overlay::compare_folders(stock.folder, stock.folder, expected, kNoOutputs);
  if (!itself.identical) {
    const bool ended = support::read_file(stock.folder / "log").find("END OF RUN") != std::string::npos;
    result.verdict = ended || set.standin ? Verdict::unclear : Verdict::refused;
    result.reason = ended ? itself.reasons.front() : last_line(stock.folder / "log");
    return result;
  }
  try {
    const auto patched = run(set, "patched", card, folder, limit_s, poll);
    result.patched_s = patched.cpu_s();
    const auto identity = overlay::compare_folders(stock.folder, patched.folder, expected, kNoOutputs,
                                                   {stock.first_date, stock.last_date},
                                                   {patched.first_date, patched.last_date});
    result.verdict = identity.identical ? Verdict::same : Verdict::other;
    if (!identity.identical)
      result.reason = identity.reasons.empty() ? "the outputs differ" : identity.reasons.front();
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
