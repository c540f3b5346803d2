// Telescope data (the IACT package's Cherenkov output) that a card sends into a command (`TELFIL |command`):
// a program of ours stands in the command's place during a run and keeps the bytes; the command itself gets
// them afterwards. Writes in the run folder the files that identity/output_files.hpp names.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace overlay {

/// The card for a run that keeps the bytes of the pipe; a card without such a command as it is. CORSIKA
/// copies its card into the telescope data, so the TELFIL line there is that of the card that comes back.
std::string card_with_telescope_pipe(const std::string& card);

/// Writes the program that such a card names into a run folder. Throws support::Error where it cannot.
void write_telescope_pipe(const std::filesystem::path& folder);

/// Waits until all bytes of the pipe of a run that ended are in their file. Returns at once where the run
/// started no command. Throws support::Error where they do not come.
void wait_for_telescope_pipe(const std::filesystem::path& folder,
                             std::chrono::milliseconds longest = std::chrono::seconds(60));

/// Runs the card's command in a run folder, with the bytes of the pipe on its standard input and the
/// environment that CORSIKA gave it. What it prints goes to `log`. Returns why it failed, empty where it did
/// not: it exited with another status than 0, it took longer than `timeout` (0: no limit), or it ended before
/// it had read all, which would have ended CORSIKA too. Throws as support::run() does.
std::string run_behind_telescope_pipe(const std::string& command, const std::filesystem::path& folder,
                                      const std::filesystem::path& log, std::chrono::milliseconds timeout);

}  // namespace overlay
