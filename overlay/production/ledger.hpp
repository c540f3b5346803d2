// The ledger of seeds: one text file for all productions of a group, with one line for each series of
// seed blocks that was handed out. Only ever grows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace overlay {

/// $OVERLAY_LEDGER where set; else $XDG_DATA_HOME/overlay/seeds.ledger, or that below ~/.local/share.
std::filesystem::path default_ledger();

/// Numbers of a production's runs, and what an earlier production of the ledger has of them.
struct LedgerRuns {
  std::int64_t first = 0, last = 0;  ///< first to last
  std::string also_of;    ///< gets the name of the last production that has one of these; else empty
  std::int64_t free = 0;  ///< gets the first number behind those of all productions
};

/// A place in the ledger is a seed block: kSeedsOfRun seeds, one run's (seeds.hpp). Takes `places` seed
/// blocks in a row for a production and writes them down. Returns the first one's number. Callers at the same
/// time, also on other machines where the file system has locks (flock), get different seed blocks. What a
/// call took stays taken, whatever becomes of the production. `runs`, where given, is written down, too, and
/// compared with the runs of earlier lines. Throws support::Error where fewer are left, and
/// where the file is no ledger or cannot be written; nothing is taken then.
std::int64_t take_places(const std::filesystem::path& ledger, std::int64_t places,
                         const std::string& production, LedgerRuns* runs = nullptr);

}  // namespace overlay
