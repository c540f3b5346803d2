// Watches a log for the line of the first shower. Uses inotify and the CPU clock of the watched process.
#include "overlay/run/first_shower.hpp"

#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace overlay {
namespace {

/// CPU time of a process that has not been waited for, all its threads; nothing where it is gone.
std::optional<double> cpu_time_of(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return std::nullopt;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

const std::vector<std::string>& first_shower_marks() {
  static const std::vector<std::string> marks{"GENERATOR AT BEGIN OF EVENT",
                                              "GENERATOR AT THE START OF THE EVENT"};
  return marks;
}

const std::pair<const char*, const char*> kLinesAtOnce{"GFORTRAN_UNBUFFERED_PRECONNECTED", "y"};

StartupWatcher::StartupWatcher(pid_t process, std::filesystem::path log, std::vector<std::string> marks,
                               std::chrono::steady_clock::time_point started)
    : process_(process), log_(std::move(log)), marks_(std::move(marks)), started_(started) {
  waiting_ = !marks_.empty();
  if (!waiting_) return;
  handle_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (handle_ >= 0 && inotify_add_watch(handle_, log_.parent_path().c_str(), IN_CREATE | IN_MODIFY) < 0) {
    close(handle_);
    handle_ = -1;
  }
}

StartupWatcher::~StartupWatcher() { stop(); }

void StartupWatcher::stop() {
  if (handle_ >= 0) close(handle_);
  handle_ = -1;
  waiting_ = false;
}

void StartupWatcher::look() {
  if (!waiting_) return;
  // The clocks first: what we read below takes time that is not the program's start-up.
  const std::optional<double> cpu = cpu_time_of(process_);
  const auto now = std::chrono::steady_clock::now();
  std::array<char, 4096> events;
  while (handle_ >= 0 && read(handle_, events.data(), events.size()) > 0) {
  }
  std::ifstream in(log_, std::ios::binary);
  if (!in.seekg(read_)) return;
  std::string line;
  while (std::getline(in, line)) {
    if (in.eof()) return;  // not a whole line yet
    read_ += static_cast<std::streamoff>(line.size()) + 1;
    const auto has = [&](const std::string& mark) { return line.find(mark) != std::string::npos; };
    if (std::none_of(marks_.begin(), marks_.end(), has)) continue;
    if (cpu) found_ = StartupTime{std::chrono::duration<double>(now - started_).count(), *cpu};
    stop();
    return;
  }
}

}  // namespace overlay
