// Keeps the bytes of a pipe, and hands them to the card's command: see the header.
#include "overlay/run/telescope_pipe.hpp"

#include <fmt/format.h>

#include <thread>

#include "overlay/card/card_files.hpp"
#include "overlay/identity/output_files.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

std::string last_line(const fs::path& file) {
  std::string text = support::read_file(file);
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return {};
  text.resize(end + 1);
  return text.substr(text.rfind('\n') + 1).substr(0, 200);
}

}  // namespace

std::string card_with_telescope_pipe(const std::string& card) {
  return telescope_command(Card(card)) ? card_with_command_behind(card, std::string("sh ./") + kPipeProgram)
                                       : card;
}

void write_telescope_pipe(const fs::path& folder) {
  support::write_file(folder / kPipeProgram,
                      fmt::format("# Stands in the place of the command that the card's TELFIL names.\n"
                                  "export -p > {}\n"
                                  "cat > {} && : > {}\n",
                                  kPipeEnvironment, kPipedTelescopeData, kPipeEnd));
}

void wait_for_telescope_pipe(const fs::path& folder, std::chrono::milliseconds longest) {
  constexpr std::chrono::milliseconds kStep{5};
  if (!fs::exists(folder / kPipeEnvironment)) return;
  for (auto waited = kStep - kStep; !fs::exists(folder / kPipeEnd); waited += kStep) {
    if (waited > longest)
      throw support::Error(
          fmt::format("the light that went into the pipe is not whole in {}; is the disk full?",
                      (folder / kPipedTelescopeData).string()));
    support::check_interrupt();
    std::this_thread::sleep_for(kStep);
  }
}

std::string run_behind_telescope_pipe(const std::string& command, const fs::path& folder, const fs::path& log,
                                      std::chrono::milliseconds timeout) {
  // A pipe, as CORSIKA's, and not the file itself: what reads too little is noticed, what seeks fails.
  constexpr const char* kScript = ". \"./$1\"\n{ cat \"$2\"; echo $? > light-pipe.status; } | sh -c \"$3\"";
  support::Command shell;
  shell.argv = {"env", "-i", "sh", "-c", kScript, "sh", kPipeEnvironment, kPipedTelescopeData, command};
  shell.cwd = folder;
  shell.log = log;
  shell.timeout = timeout;
  support::write_file(log, "");
  const auto result = support::run(shell);
  const fs::path status_file = folder / "light-pipe.status";
  std::error_code error;
  const bool ended = fs::exists(status_file, error);
  const bool read_all = ended && support::read_file(status_file) == "0\n";
  fs::remove(status_file, error);
  std::string why;
  if (result.timed_out)
    why = fmt::format("did not end within {} s", timeout.count() / 1000);
  else if (result.status != 0)
    why = fmt::format("failed with exit status {}", result.status);
  else if (!read_all)
    why = "ended before it had read all of the light";
  if (const std::string said = last_line(log); !why.empty() && !said.empty())
    why += fmt::format("; it said: {}", said);
  return why;
}

}  // namespace overlay
