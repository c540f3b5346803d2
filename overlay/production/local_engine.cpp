// Workers side by side on one machine: see the header.
#include "overlay/production/local_engine.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>

#include "overlay/production/exit_codes.hpp"
#include "overlay/production/manifest.hpp"
#include "overlay/production/plan.hpp"
#include "overlay/production/verify_run.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/guarded_process.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

extern char** environ;

namespace overlay {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

/// A worker at work.
struct Worker {
  std::int64_t run = 0;
  fs::path log;  ///< what it prints
};

/// A worker's last line, without the program's name before it.
std::string last_line_of(const fs::path& log) {
  std::string text = support::read_file(log);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  text.erase(0, text.rfind('\n') + 1);  // npos + 1 is 0
  const std::string name = "overlay: error: ";
  return text.starts_with(name) ? text.substr(name.size()) : text;
}

std::string duration(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  return fmt::format("{:.1f} h", seconds / kHour);
}

class LocalEngine {
 public:
  explicit LocalEngine(const LocalRequest& request)
      : request_(request), plan_(read_plan(request.folder)), logs_("overlay-workers"), began_(Clock::now()) {
    const auto digest = plan_digest(request.folder);
    summary_.planned = plan_.run_count();
    for (std::int64_t run = plan_.first_run; run <= plan_.last_run(); ++run)
      if (verify_run(plan_, request.folder, digest, run, VerifyDepth::sizes).kind ==
          RunState::Kind::published)
        ++summary_.done_before;
      else
        to_do_.push_back(run);
    if (request.most > 0 && static_cast<std::int64_t>(to_do_.size()) > request.most)
      to_do_.resize(static_cast<std::size_t>(request.most));
    jobs_ = request.jobs > 0 ? static_cast<std::size_t>(request.jobs)
                             : std::max<std::size_t>(1, support::allowed_cores().size());
  }

  LocalSummary run() {
    try {
      while (!to_do_.empty() || !workers_.empty()) {
        support::check_interrupt();
        while (!to_do_.empty() && workers_.size() < jobs_) start_next();
        if (!take_ended()) poll(nullptr, 0, kWait_ms);
        say_progress(false);
      }
    } catch (const support::Interrupted&) {
      end_workers();
    } catch (...) {
      end_workers();
      throw;
    }
    say_progress(true);
    return summary_;
  }

 private:
  static constexpr int kWait_ms = 20;

  void start_next() {
    Worker worker{to_do_.front(), {}};
    to_do_.pop_front();
    worker.log = logs_.path() / std::to_string(worker.run);
    std::vector<std::string> words{request_.overlay.string(), "production", "run", request_.folder.string(),
                                   std::to_string(worker.run)};
    if (!request_.scratch.empty()) words.insert(words.end(), {"--scratch", request_.scratch.string()});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const int log = open(worker.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (log < 0) throw support::Error(fmt::format("cannot write {}; is the disk full?", worker.log.string()));
    support::ChildStart start;
    start.program = argv[0];
    start.argv = argv.data();
    start.envp = environ;
    start.output = start.errors = log;
    const auto child = support::start_guarded(start);
    close(log);
    if (child.guard < 0) throw support::Error("no process can be started; is this user's limit reached?");
    workers_[child.guard] = worker;
  }

  /// Takes the workers that have ended; false where none has.
  bool take_ended() {
    bool any = false;
    std::vector<pid_t> guards;
    for (const auto& [guard, worker] : workers_) guards.push_back(guard);
    for (const pid_t guard : guards) {
      int status = 0;
      if (waitpid(guard, &status, WNOHANG) != guard) continue;
      any = true;
      const Worker worker = workers_.at(guard);
      workers_.erase(guard);
      take(worker, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    return any;
  }

  /// What keeps every worker from its work; empty where nothing does.
  std::string obstacle() const {
    std::error_code error;
    for (const fs::path& needed : {request_.folder / "production.toml", request_.overlay})
      if (!fs::is_regular_file(needed, error))
        return fmt::format("{} is no longer there; if the production was moved, start it where it is now",
                           needed.string());
    return "";
  }

  void take(const Worker& worker, int exit) {
    std::string said = last_line_of(worker.log);
    if (said.empty()) said = exit > 128 ? fmt::format("signal {} ended it", exit - 128) : "it said nothing";
    std::error_code ignored;
    fs::remove(worker.log, ignored);
    if (exit == 0) {
      ++summary_.made;
      return;
    }
    const std::string why = obstacle();
    if (!why.empty()) {
      summary_.failed.push_back({worker.run, exit, why});
      to_do_.clear();
      return;
    }
    const bool again =
        exit != static_cast<int>(WorkerExit::never) && exit != static_cast<int>(WorkerExit::other_bits);
    if (again && tries_[worker.run]++ < request_.retries) {
      fmt::print(stderr, "{}overlay: run {} ended with {} and is tried again: {}\n",
                 line_is_open_ ? "\n" : "", worker.run, exit, said);
      line_is_open_ = false;
      to_do_.push_back(worker.run);
      return;
    }
    summary_.failed.push_back({worker.run, exit, said});
    if (exit == static_cast<int>(WorkerExit::other_bits)) {  // so would all others
      to_do_.clear();
      summary_.stopped = true;
    }
  }

  void end_workers() {
    summary_.stopped = true;
    for (const auto& [guard, worker] : workers_) support::ask_to_end(guard);
    for (const auto& [guard, worker] : workers_) {
      int status = 0;
      while (waitpid(guard, &status, 0) < 0 && errno == EINTR) {
      }
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) ++summary_.made;
    }
    workers_.clear();
  }

  void say_progress(bool last) {
    const bool terminal = isatty(STDERR_FILENO) == 1;
    const double now = std::chrono::duration<double>(Clock::now() - began_).count();
    const double every = terminal ? 1 : 60;
    if (!last && now - said_s_ < every) return;
    said_s_ = now;
    const std::int64_t left = static_cast<std::int64_t>(to_do_.size() + workers_.size());
    std::string rest;
    if (summary_.made > 0)
      rest = fmt::format("; {:.3g} runs an hour", 3600 * static_cast<double>(summary_.made) / now);
    if (summary_.made > 0 && left > 0)
      rest += fmt::format(", about {} left",
                          duration(now * static_cast<double>(left) / static_cast<double>(summary_.made)));
    fmt::print(stderr, "{}overlay: {} of {} runs done, {} running, {} failed{}{}", terminal ? "\r" : "",
               summary_.done_before + summary_.made, summary_.planned, workers_.size(),
               summary_.failed.size(), rest, terminal && !last ? "   " : "\n");
    std::fflush(stderr);
    line_is_open_ = terminal && !last;
  }

  const LocalRequest& request_;
  const ProductionPlan plan_;
  const support::TemporaryFolder logs_;
  const Clock::time_point began_;
  std::size_t jobs_ = 1;
  std::deque<std::int64_t> to_do_;
  std::map<pid_t, Worker> workers_;  ///< by the process of their guard
  std::map<std::int64_t, int> tries_;
  double said_s_ = 0;
  bool line_is_open_ = false;
  LocalSummary summary_;
};

}  // namespace

LocalSummary run_locally(const LocalRequest& request) { return LocalEngine(request).run(); }

}  // namespace overlay
