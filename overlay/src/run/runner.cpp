// One run of a program: starts it, waits, and says what went wrong. Writes the run's log and the file of its
// errors.
#include "overlay/run/runner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <deque>
#include <fstream>
#include <set>
#include <vector>

#include "support/error.hpp"
#include "support/files.hpp"

extern char** environ;

namespace overlay {
namespace {

using Clock = std::chrono::steady_clock;

enum ExitStatus : int { kNoCore = 125, kNoFiles = 126, kNoProgram = 127 };  // before the program itself runs

constexpr double kNoLimit_s = 1e9;  // 30 years; far below what the clock's 64-bit count of ns holds

constexpr std::time_t kMostTimeZone = std::time_t{14} * 3600;  // s: none is farther from UTC

/// Variables of ours that would make a run something else than what is asked for.
const std::set<std::string> kNotPassedOn{"RANMAR_BACKEND",    "RANMAR_SUMMARY",     "CHERENKOV_BACKEND",
                                         "CHERENKOV_SUMMARY", "CHERENKOV_UNPROVEN", "LD_PRELOAD",
                                         "GMON_OUT_PREFIX"};

int date_of(std::time_t time) {
  std::tm day{};
  gmtime_r(&time, &day);
  return (day.tm_year % 100) * 10000 + (day.tm_mon + 1) * 100 + day.tm_mday;
}

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
  return result;
}

/// The last lines of a file that say something, oldest first, joined by " | ".
std::string last_lines(const std::filesystem::path& file, std::size_t count) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const std::streamoff size = in.tellg();
  in.seekg(size > 4096 ? size - 4096 : 0);
  std::deque<std::string> lines;
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos) continue;
    const std::size_t last = line.find_last_not_of(" \t\r");
    lines.push_back(line.substr(first, last - first + 1));
    if (lines.size() > count) lines.pop_front();
  }
  std::string text;
  for (const std::string& entry : lines) text += (text.empty() ? "" : " | ") + entry;
  return text;
}

/// Whether the disk of the run folder is full, or the program said so.
bool disk_is_full(const RunSpec& spec) {
  return support::disk_is_full(spec.folder,
                               last_lines(spec.errors, 20) + "\n" + last_lines(spec.folder / "log", 20));
}

support::Error failure(const RunSpec& spec, const std::string& what) {
  if (disk_is_full(spec))
    return support::Error(
        fmt::format("the disk is full: the {} run {}; free some space in {}, or give --out DIR elsewhere",
                    spec.label, what, spec.folder.string()));
  std::string message = fmt::format("the {} run {}", spec.label, what);
  const std::string errors = last_lines(spec.errors, 2), log = last_lines(spec.folder / "log", 3);
  if (!errors.empty()) message += fmt::format("; it said: {}", errors);
  if (!log.empty()) message += fmt::format("; its log ends: {}", log);
  return support::Error(message + fmt::format(" (see {})", (spec.folder / "log").string()));
}

/// What the program said that makes its run void although it exited with 0; empty where nothing did.
std::string void_run(const RunSpec& spec) {
  std::ifstream errors(spec.errors);
  std::string line;
  while (std::getline(errors, line))
    if (line.rfind("STOP ", 0) == 0 && line.size() > 5) return "stopped";
  std::ifstream log(spec.folder / "log");
  while (std::getline(log, line))
    if (line.find("SYNTAX ERROR(S) IN INPUT") != std::string::npos) return "found an error in its card";
  return {};
}

/// Ends the child and what it started, and waits for the child.
void end_at_once(pid_t child, int& status, rusage& usage) {
  kill(-child, SIGKILL);  // its process group, which a TELFIL command is in too
  kill(child, SIGKILL);   // where it has not made the group yet
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
}

/// Waits until the child ends or the deadline passes; true when it ended. Does not spin.
bool wait_until(pid_t child, std::optional<Clock::time_point> deadline, int& status, rusage& usage,
                const std::function<void()>& check, StartupWatcher& startup) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  for (;;) {
    startup.look();
    const pid_t ended = wait4(child, &status, WNOHANG, &usage);
    if (ended == child) break;
    try {
      if (check) check();
    } catch (...) {
      if (handle >= 0) close(handle);
      end_at_once(child, status, usage);
      throw;
    }
    int wait_ms = 1000;
    if (deadline) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - Clock::now()).count();
      if (left <= 0) {
        if (handle >= 0) close(handle);
        return false;
      }
      wait_ms = static_cast<int>(std::min<long long>(left + 1, wait_ms));
    }
    if (startup.waiting() && startup.handle() < 0) wait_ms = std::min(wait_ms, 10);
    std::array<pollfd, 2> poll_for{{{handle, POLLIN, 0}, {startup.handle(), POLLIN, 0}}};
    if (handle >= 0)
      poll(poll_for.data(), poll_for.size(), wait_ms);
    else
      usleep(20000);
  }
  if (handle >= 0) close(handle);
  return true;
}

/// Starts the program. Everything is prepared before fork, so that the child only makes system calls.
pid_t start(const RunSpec& spec) {
  const std::vector<std::string> environment = environment_of(spec);
  std::vector<char*> envp;
  envp.reserve(environment.size() + 1);
  for (const std::string& entry : environment) envp.push_back(const_cast<char*>(entry.c_str()));
  envp.push_back(nullptr);
  const std::string executable = spec.executable.string(), folder = spec.folder.string();
  const std::string name = spec.executable.filename().string(), errors = spec.errors.string();
  char* const argv[] = {const_cast<char*>(name.c_str()), nullptr};
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (spec.core && *spec.core >= 0) CPU_SET(static_cast<unsigned>(*spec.core), &cores);

  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw support::Error(fmt::format("cannot start {}: {}", executable, std::strerror(errno)));
  if (child == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kNoFiles);
    const int err = open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (err < 0 || dup2(err, 2) < 0 || chdir(folder.c_str()) != 0) _exit(kNoFiles);
    const int in = open("card", O_RDONLY);
    const int out = open("log", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0) _exit(kNoFiles);
    if (spec.core && sched_setaffinity(0, sizeof cores, &cores) != 0) _exit(kNoCore);
    for (int fd = 3; fd < 256; ++fd) close(fd);
    execve(executable.c_str(), argv, envp.data());
    _exit(kNoProgram);
  }
  return child;
}

/// Throws where the way that the program ended, or what it said, makes its run void.
void check_outcome(const RunSpec& spec, bool ended, int status) {
  if (!ended)
    throw failure(spec, fmt::format("did not end within {:.0f} s and was killed (--timeout sets the limit)",
                                    spec.timeout_s));
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGINT || signal == SIGTERM) throw support::Interrupted();
    throw failure(spec, fmt::format("was ended by signal {} ({})", signal, strsignal(signal)));
  }
  const int code = WEXITSTATUS(status);
  if (code == kNoCore)
    throw support::Error(fmt::format("cannot pin a run to core {}; choose another", spec.core.value_or(-1)));
  if (code == kNoFiles)
    throw support::Error(fmt::format("cannot read the card or write the log in {}", spec.folder.string()));
  if (code == kNoProgram) throw support::Error(fmt::format("cannot execute {}", spec.executable.string()));
  if (code != 0) throw failure(spec, fmt::format("failed with exit status {}", code));
  const std::string reason = void_run(spec);
  if (!reason.empty()) throw failure(spec, reason);
  if (disk_is_full(spec)) throw failure(spec, "may have lost output");
}

}  // namespace

RunResult run_program(const RunSpec& spec) {
  RunResult result;
  result.folder = spec.folder;
  result.errors = spec.errors;
  const std::time_t began = std::time(nullptr);
  const Clock::time_point clock_began = Clock::now();
  const pid_t child = start(spec);
  std::optional<Clock::time_point> deadline;
  if (spec.timeout_s > 0 && spec.timeout_s < kNoLimit_s)
    deadline = clock_began +
               std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(spec.timeout_s));
  int status = 0;
  rusage usage{};
  StartupWatcher startup(child, spec.folder / "log", spec.first_shower, clock_began);
  const bool ended = wait_until(child, deadline, status, usage, spec.check, startup);
  if (!ended) end_at_once(child, status, usage);
  result.startup = startup.found();
  result.wall_s = std::chrono::duration<double>(Clock::now() - clock_began).count();
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  result.user_s = seconds(usage.ru_utime);
  result.system_s = seconds(usage.ru_stime);
  result.peak_rss_kib = usage.ru_maxrss;
  result.first_date = date_of(began - kMostTimeZone);
  result.last_date = date_of(std::time(nullptr) + kMostTimeZone);
  check_outcome(spec, ended, status);
  return result;
}

}  // namespace overlay
