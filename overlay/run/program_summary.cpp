// What a run's log and standard error say of draws and of light; keeps the bytes of a pipe, and hands them to
// the card's command: see the header.

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <thread>

#include "overlay/card/card.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/run/runner.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;

PartSaid part_said(const std::string& text, const std::string& who, const std::string& needed) {
  PartSaid said;
  for (const std::string& line : support::split(text)) {
    if (!line.starts_with(who)) continue;
    Summary values;
    std::istringstream words(line.substr(who.size()));
    for (std::string word; words >> word;)
      if (const std::size_t equals = word.find('='); equals != std::string::npos)
        values[word.substr(0, equals)] = word.substr(equals + 1);
    if (!values.contains(needed)) {
      said.others.push_back(line);
      continue;
    }
    said.line = line;
    said.values = std::move(values);
  }
  return said;
}

std::optional<std::uint64_t> number_in(const Summary& summary, const std::string& key) {
  const auto found = summary.find(key);
  const long value = found == summary.end() ? -1 : card_integer(found->second, -1);
  return value < 0 ? std::nullopt : std::optional<std::uint64_t>(value);
}

std::optional<std::array<std::int64_t, 3>> counters_of(std::string line, bool& in_table) {
  constexpr std::int64_t kBillion = 1000'000'000, kMostSequences = 64;
  const bool names = line.find("SEQUENCE") != std::string::npos && line.find("CALLS") != std::string::npos;
  if ((!names && !in_table) || line.find('*') != std::string::npos) return std::nullopt;
  const bool numbers_alone = line.find_first_not_of("-0123456789 \t\r") == std::string::npos;
  std::ranges::replace_if(
      line, [](unsigned char c) { return std::isdigit(c) == 0 && c != '-'; }, ' ');
  std::istringstream digits(line);
  std::vector<std::int64_t> numbers(std::istream_iterator<std::int64_t>(digits), {});
  in_table = names ? numbers.empty() : numbers_alone && numbers.size() == 4;
  if (names ? numbers.size() < 3 : !in_table) return std::nullopt;
  numbers.resize(4);
  if (numbers[0] < 1 || numbers[0] > kMostSequences || std::abs(numbers[2]) > kBillion ||
      std::abs(numbers[3]) > kBillion)
    return std::nullopt;
  return std::array{numbers[0], numbers[1], numbers[2] + numbers[3] * kBillion};
}

void keep_telescope_data(const fs::path& folder) {
  const std::string card = support::read_file(folder / "card");
  if (!telescope_command(Card(card))) return;
  support::write_file(folder / "card", card_with_command_behind(card, std::string("sh ./") + kPipeProgram));
  support::write_file(folder / kPipeProgram,
                      fmt::format("# Stands in the place of the command that the card's TELFIL names.\n"
                                  "export -p > {}\n"
                                  "cat > {} && : > {}\n",
                                  kPipeEnvironment, kPipedTelescopeData, kPipeEnd));
}

void wait_for_telescope_data(const fs::path& folder, std::chrono::milliseconds longest) {
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
  if (const std::string said = last_said(log, 1); !why.empty() && !said.empty())
    why += fmt::format("; it said: {}", said);
  return why;
}

}  // namespace overlay
