// Stock and patched with one random card: what came of it. Writes below the given folders alone.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "overlay/build/build.hpp"
#include "random_card.hpp"

namespace random_cards {

enum class Verdict {
  same,      ///< the bytes of stock
  other,     ///< other bytes, or the patched program failed
  refused,   ///< stock does not run the card
  too_long,  ///< stock took longer than the limit
  unclear    ///< stock ran, and its outputs cannot be compared
};
const char* verdict_name(Verdict verdict);

struct CardResult {
  Verdict verdict = Verdict::unclear;
  double stock_s = 0, patched_s = 0;  ///< CPU time
  std::string reason;                 ///< one line; empty where the same
};

/// Runs both programs of `set` with the card, one after the other, and compares all that they wrote. Run
/// folders are made in `folder` and deleted. Where the verdict is `other` or `unclear`, both folders, the
/// card and the settings stay in `kept`. `limit_s`: of stock's run; the patched one gets three times as long.
/// `poll` may throw to end a run. Several threads may call it at a time. Throws what `poll` throws, and
/// support::Error where a program cannot be started or the disk is full.
CardResult run_card(const overlay::BuildSet& set, const RandomCard& card, const std::filesystem::path& folder,
                    const std::filesystem::path& kept, double limit_s, const std::function<void()>& poll);

}  // namespace random_cards
