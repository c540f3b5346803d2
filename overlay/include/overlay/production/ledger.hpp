// The ledger of seeds: one text file for all productions of a group, with one line for each series of
// seed blocks that was handed out. Only ever grows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace overlay {

/// $OVERLAY_LEDGER where set; else $XDG_DATA_HOME/overlay/seeds.ledger, or that below ~/.local/share.
std::filesystem::path default_ledger();

/// A place in the ledger is a seed block: kSeedsOfRun seeds, one run's (seeds.hpp). Takes `places` seed
/// blocks in a row for a production and writes them down. Returns the first one's number. Callers at the same
/// time, also on other machines where the file system has locks (flock), get different seed blocks. What a
/// call took stays taken, whatever becomes of the production. Throws support::Error where fewer are left, and
/// where the file is no ledger or cannot be written; nothing is taken then.
std::int64_t take_places(const std::filesystem::path& ledger, std::int64_t places,
                         const std::string& production);

}  // namespace overlay
