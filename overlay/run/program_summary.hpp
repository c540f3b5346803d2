// What a run leaves beside its files: what its log and standard error say of draws and of light, and
// telescope data (the IACT package's Cherenkov output) that a card sends into a command (`TELFIL |command`).
// A program of ours stands in the command's place during a run and keeps the bytes; the command itself gets
// them afterwards. Writes in the run folder the files that identity/output_files.hpp names.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace overlay {

/// What a part of the patched program says in a line at its end when RANMAR_SUMMARY or CHERENKOV_SUMMARY is
/// set: `ranmar: key=value key=value ...`
using Summary = std::map<std::string, std::string>;

/// All that a part says in a text, in lines that begin with `who`.
struct PartSaid {
  std::string line;                 ///< the last one with the key `needed`; empty where there is none
  Summary values;                   ///< what that line says
  std::vector<std::string> others;  ///< those without it
};
PartSaid part_said(const std::string& text, const std::string& who, const std::string& needed);
/// A value that is a number; nothing where it is none.
std::optional<std::uint64_t> number_in(const Summary& summary, const std::string& key);

/// Sequence, seed and numbers drawn, by the counters of a line of a log:
/// `SEQUENCE = 1 SEED = 11 CALLS = 5 BILLIONS = 0`, or a row of a table of these four, whose head was in a
/// line before: `in_table` is for that. Nothing where a number was too wide for its place and is asterisks.
std::optional<std::array<std::int64_t, 3>> counters_of(std::string line, bool& in_table);

/// Prepares a run folder for keeping the bytes that are sent to TELFIL's command: writes a program of ours,
/// which the card then names before its command. CORSIKA copies its card into the telescope data, so the
/// TELFIL line there is that of the new card. Other cards stay. Throws support::Error where a file cannot be
/// written.
void keep_telescope_data(const std::filesystem::path& folder);

/// Waits until all bytes of the pipe of a run that ended are in their file. Returns at once where the run
/// started no command. Throws support::Error where they do not come.
void wait_for_telescope_data(const std::filesystem::path& folder,
                             std::chrono::milliseconds longest = std::chrono::seconds(60));

/// Runs the card's command in a run folder, with the bytes of the pipe on its standard input and the
/// environment that CORSIKA gave it. What it prints goes to `log`. Returns why it failed, empty where it did
/// not: it exited with another status than 0, it took longer than `timeout` (0: no limit), or it ended before
/// it had read all, which would have ended CORSIKA too. Throws as support::run() does.
std::string run_behind_telescope_pipe(const std::string& command, const std::filesystem::path& folder,
                                      const std::filesystem::path& log, std::chrono::milliseconds timeout);

}  // namespace overlay
