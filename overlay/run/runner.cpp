// One run of a program: starts it, waits, and says what went wrong; what its log and standard error say of
// draws and of light. Keeps the bytes of a pipe, and hands them to the card's command. Writes the run's log,
// the file of its errors, and what is of the pipe.
#include "overlay/run/runner.hpp"

#include <fmt/chrono.h>
#include <signal.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <thread>

#include "overlay/card/card.hpp"
#include "overlay/identity/output_files.hpp"
#include "support/guarded_process.hpp"
#include "support/process.hpp"

extern char** environ;

namespace overlay {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kNoLimit_s = 1e9;  // 30 years; far below what the clock's 64-bit count of ns holds

constexpr std::time_t kMostTimeZone = std::time_t{14} * 3600;  // s: none is farther from UTC

/// Variables of ours that would make a run something else than what is asked for.
const std::set<std::string> kNotPassedOn{"RANMAR_BACKEND",    "RANMAR_SUMMARY",     "CHERENKOV_BACKEND",
                                         "CHERENKOV_SUMMARY", "CHERENKOV_UNPROVEN", "CHERENKOV_THREADS",
                                         "LD_PRELOAD",        "GMON_OUT_PREFIX"};

int date_of(std::time_t time) { return std::stoi(fmt::format("{:%y%m%d}", fmt::gmtime(time))); }

std::vector<std::string> environment_of(const RunSpec& spec) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    if (kNotPassedOn.count(name) != 0 || name.rfind("CPU_SAMPLER_", 0) == 0 ||
        spec.environment.count(name) != 0)
      continue;
    result.push_back(text);
  }
  for (const auto& [name, value] : spec.environment) result.push_back(fmt::format("{}={}", name, value));
  // gfortran's library writes each line of the log at once. The log has the same bytes either way.
  result.emplace_back("GFORTRAN_UNBUFFERED_PRECONNECTED=y");
  return result;
}

/// A file's text; of a long one, as CORSIKA's log with DEBUG, the last `most` bytes.
std::string text_in(const std::filesystem::path& file, std::streamoff most = std::streamoff{1} << 24) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return {};
  in.seekg(std::max<std::streamoff>(0, in.tellg() - most));
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Whether the disk of the run folder is full, or the program said so.
bool disk_is_full(const RunSpec& spec) {
  return support::disk_is_full(spec.folder,
                               last_said(spec.errors, 20) + "\n" + last_said(spec.folder / "log", 20));
}

RunFailed failure(const RunSpec& spec, RunFailed::Why why, int status, const std::string& what) {
  if (disk_is_full(spec))
    return {RunFailed::Why::disk_full, status, spec.label,
            fmt::format("the disk is full: the {} run {}; free some space in {}, or give --out DIR elsewhere",
                        spec.label, what, spec.folder.string())};
  std::string message = fmt::format("the {} run {}", spec.label, what);
  const bool stopped = why == RunFailed::Why::card || why == RunFailed::Why::stopped;
  const std::string sentence = stopped ? why_stopped(text_in(spec.folder / "log")) : std::string();
  if (sentence.empty()) {
    const std::string errors = last_said(spec.errors, 2), log = last_said(spec.folder / "log", 3);
    if (!errors.empty()) message += fmt::format("; it said: {}", errors);
    if (!log.empty()) message += fmt::format("; its log ends: {}", log);
  } else {
    message += fmt::format("; CORSIKA says: {}", sentence);
  }
  return {why, status, spec.label, message + fmt::format(" (see {})", (spec.folder / "log").string())};
}

/// Whether a log has a heading that CORSIKA prints first when the first shower begins; the stand-in has its
/// own.
bool shower_began(const std::string& log) {
  return log.find("GENERATOR AT BEGIN OF EVENT") != std::string::npos ||
         log.find("GENERATOR AT THE START OF THE EVENT") != std::string::npos;
}

/// CPU time of a process that has not been waited for, all its threads; nothing where it is gone.
std::optional<double> cpu_time_of(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return std::nullopt;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Throws where the way that the program ended, or what it said, makes its run void.
void check_outcome(const RunSpec& spec, const support::CommandResult& ended) {
  if (ended.timed_out)
    throw failure(
        spec, RunFailed::Why::timed_out, 0,
        fmt::format("did not end within {:.0f} s and was killed (--timeout sets the limit)", spec.timeout_s));
  const int code = ended.status;
  if (code > 128 && code <= 128 + SIGRTMAX) {
    const int signal = code - 128;
    if (signal == SIGINT || signal == SIGTERM) throw support::Interrupted();
    throw failure(spec, RunFailed::Why::signal, signal,
                  fmt::format("was ended by signal {} ({})", signal, strsignal(signal)));
  }
  if (code == support::kNoProgram)
    throw support::Error("cannot execute {}; {}", spec.executable.string(), last_said(spec.errors, 1));
  const std::string log = text_in(spec.folder / "log");
  // CORSIKA says it in its log, the stand-in on standard error.
  if (log.find("SYNTAX ERROR(S) IN INPUT") != std::string::npos ||
      text_in(spec.errors).find(" in the input card") != std::string::npos)
    throw failure(spec, RunFailed::Why::card, code, "refused its card");
  if (code != 0)
    throw failure(spec, RunFailed::Why::status, code, fmt::format("failed with exit status {}", code));
  if (log.find(kEndOfRun) == std::string::npos) {
    const std::string why = why_stopped(log);
    const bool refused = !why.empty() && (!shower_began(log) || why.find("SEE KEYWORD") != std::string::npos);
    throw failure(spec, refused ? RunFailed::Why::card : RunFailed::Why::stopped, 0,
                  refused ? "refused its card" : fmt::format("has no line {} in its log", kEndOfRun));
  }
  if (disk_is_full(spec)) throw failure(spec, RunFailed::Why::disk_full, 0, "may have lost output");
}

}  // namespace

std::string last_said(const std::filesystem::path& file, std::size_t count) {
  std::istringstream in(text_in(file, 4096));
  std::deque<std::string> said, by_us;
  for (std::string line; std::getline(in >> std::ws, line);) {
    line.erase(line.find_last_not_of(" \t\r") + 1);
    std::deque<std::string>& lines =
        line.starts_with("ranmar:") || line.starts_with("cherenkov:") ? by_us : said;
    lines.push_back(line);
    if (lines.size() > count) lines.pop_front();
  }
  return fmt::format("{}", fmt::join(said.empty() ? by_us : said, " | "));
}

bool RunFailed::by_the_program() const {
  if (why == Why::signal) return status != SIGKILL && status != SIGTERM && status != SIGXCPU;
  return why != Why::timed_out && why != Why::disk_full;
}

RunSpec corsika_run(const BuildSet& set, const std::string& build, const std::string& card,
                    const std::filesystem::path& folder) {
  return {.label = build,
          .executable = set.programs.at(build),
          .folder = prepare_run_dir(set, card, folder / "run"),
          .errors = folder / "errors",
          .check = support::check_interrupt};
}

RunResult run_program(const RunSpec& spec) {
  RunResult result;
  result.folder = spec.folder;
  result.errors = spec.errors;
  keep_telescope_data(spec.folder);
  const auto log = spec.folder / "log";
  support::delete_file(log);
  const std::time_t began = std::time(nullptr);
  const auto seconds = [start = Clock::now()] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  support::Command command{.argv = {spec.executable.filename().string()},
                           .cwd = spec.folder,
                           .input_file = spec.folder / "card",
                           .log = log,
                           .program = spec.executable,
                           .variables = environment_of(spec),
                           .errors_file = spec.errors};
  command.leave_descendants_running = true;  // the command behind a pipe may still read
  if (spec.timeout_s > 0 && spec.timeout_s < kNoLimit_s)
    command.timeout = std::chrono::milliseconds(static_cast<long>(std::ceil(1000 * spec.timeout_s)));
  command.watch = [&](pid_t process) {
    const bool starting = !result.startup_cpu_s;
    if (starting) {
      // The clock first: reading the log takes time that is not the program's start-up.
      const auto cpu_s = cpu_time_of(process);
      if (shower_began(text_in(log))) result.startup_cpu_s = cpu_s;
    }
    if (spec.check) spec.check();
    return starting ? 10 : 1000;
  };
  const auto ended = support::run(command);
  result.wall_s = seconds();
  result.user_s = ended.user_s;
  result.system_s = ended.system_s;
  result.peak_rss_kib = ended.peak_rss_kib;
  const auto [earliest, latest] =
      std::minmax({began, std::time(nullptr)});  // the clock may have been set back
  result.dates = {date_of(earliest - kMostTimeZone), date_of(latest + kMostTimeZone)};
  check_outcome(spec, ended);
  wait_for_telescope_data(spec.folder);
  return result;
}

void check_card(RunSpec spec) {
  struct Begun {};
  spec.check = [&spec, poll = spec.check] {
    if (poll) poll();
    if (shower_began(text_in(spec.folder / "log"))) throw Begun();
  };
  try {
    run_program(spec);
  } catch (const Begun&) {
  } catch (const RunFailed& failure) {
    if (failure.why == RunFailed::Why::card) throw;
  }
}

std::vector<std::string> tables_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& file : matching_files(folder, read_models()["run_folder"]["files"].texts()))
    if (!std::filesystem::is_symlink(file) && std::filesystem::is_regular_file(file))
      names.push_back(file.filename().string());
  return names;
}

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
  const fs::path status_file = folder / "light-pipe.status";
  for (const auto& file : {log, status_file}) support::write_file(file, "");
  const auto result = support::run(
      {.argv = {"env", "-i", "sh", "-c", kScript, "sh", kPipeEnvironment, kPipedTelescopeData, command},
       .cwd = folder,
       .log = log,
       .timeout = timeout});
  const bool read_all = support::read_file(status_file) == "0\n";
  support::delete_file(status_file);
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
