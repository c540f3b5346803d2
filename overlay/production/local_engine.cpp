// Workers side by side on one machine: see the header.
#include "overlay/production/local_engine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "overlay/production/exit_codes.hpp"
#include "overlay/production/plan.hpp"
#include "overlay/production/survey.hpp"
#include "support/error.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

/// A worker's last line, without the program's name before it.
std::string last_line_of(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  text.erase(0, text.rfind('\n') + 1);  // npos + 1 is 0
  const std::string name = "overlay: error: ";
  return text.starts_with(name) ? text.substr(name.size()) : text;
}

std::string time_in_words(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  return fmt::format("{:.1f} h", seconds / kHour);
}

/// Threads that each take the next run and wait for its worker.
class LocalEngine {
 public:
  explicit LocalEngine(const LocalRequest& request) : request_(request) {
    const Survey survey = survey_of(read_plan(request.folder), request.folder, VerifyDepth::sizes);
    summary_.planned = survey.planned;
    summary_.done_before = survey.published;
    to_do_.assign(survey.absent.begin(), survey.absent.end());
    if (request.most > 0 && static_cast<std::int64_t>(to_do_.size()) > request.most)
      to_do_.resize(static_cast<std::size_t>(request.most));
  }

  LocalSummary run() {
    const std::size_t cores = std::max<std::size_t>(1, support::allowed_cores().size());
    const auto jobs =
        std::min(request_.jobs > 0 ? static_cast<std::size_t>(request_.jobs) : cores, to_do_.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < jobs; ++i) threads.emplace_back([this] { work(); });
    }
    if (problem_) std::rethrow_exception(problem_);
    say_progress(true);
    return summary_;
  }

 private:
  void work() {
    try {
      for (;;) {
        std::int64_t run = 0;
        {
          const std::scoped_lock lock(mutex_);
          if (to_do_.empty()) return;
          run = to_do_.front();
          to_do_.pop_front();
          ++running_;
          say_progress(false);
        }
        support::Command worker;
        worker.argv = {request_.overlay.string(), "production", "run", request_.folder.string(),
                       std::to_string(run)};
        if (!request_.scratch.empty())
          worker.argv.insert(worker.argv.end(), {"--scratch", request_.scratch.string()});
        const auto result = support::run(worker);
        const std::scoped_lock lock(mutex_);
        --running_;
        take(run, result.status, last_line_of(result.output));
        say_progress(false);
      }
    } catch (const support::Interrupted&) {
      const std::scoped_lock lock(mutex_);
      summary_.stopped = true;
      to_do_.clear();
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      problem_ = std::current_exception();
      to_do_.clear();
    }
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

  void take(std::int64_t run, int exit, std::string said) {
    if (said.empty()) said = exit > 128 ? fmt::format("signal {} ended it", exit - 128) : "it said nothing";
    if (exit == 0) {
      ++summary_.made;
      return;
    }
    if (const std::string why = obstacle(); !why.empty()) {
      summary_.failed.push_back({run, exit, why});
      to_do_.clear();
      return;
    }
    const bool other_bits = exit == static_cast<int>(WorkerExit::other_bits);
    if (exit != static_cast<int>(WorkerExit::never) && !other_bits && tries_[run]++ < request_.retries) {
      fmt::print(stderr, "{}overlay: run {} ended with {} and is tried again: {}\n",
                 line_is_open_ ? "\n" : "", run, exit, said);
      line_is_open_ = false;
      to_do_.push_back(run);
      return;
    }
    summary_.failed.push_back({run, exit, said});
    if (!other_bits) return;
    to_do_.clear();  // they would all end so
    summary_.stopped = true;
  }

  void say_progress(bool last) {
    const bool terminal = isatty(STDERR_FILENO) == 1;
    const double now = std::chrono::duration<double>(Clock::now() - began_).count();
    const double every = terminal ? 1 : 60;
    if (!last && now - said_s_ < every) return;
    said_s_ = now;
    const std::int64_t left = static_cast<std::int64_t>(to_do_.size()) + running_;
    std::string rest;
    if (summary_.made > 0)
      rest = fmt::format("; {:.3g} runs an hour", 3600 * static_cast<double>(summary_.made) / now);
    if (summary_.made > 0 && left > 0)
      rest += fmt::format(", about {} left", time_in_words(now * static_cast<double>(left) /
                                                           static_cast<double>(summary_.made)));
    fmt::print(stderr, "{}overlay: {} of {} runs done, {} running, {} failed{}{}", terminal ? "\r" : "",
               summary_.done_before + summary_.made, summary_.planned, running_, summary_.failed.size(), rest,
               terminal && !last ? "   " : "\n");
    std::fflush(stderr);
    line_is_open_ = terminal && !last;
  }

  const LocalRequest& request_;
  const Clock::time_point began_ = Clock::now();
  std::mutex mutex_;  // of all below
  std::deque<std::int64_t> to_do_;
  std::int64_t running_ = 0;
  std::map<std::int64_t, int> tries_;
  double said_s_ = 0;
  bool line_is_open_ = false;
  LocalSummary summary_;
  std::exception_ptr problem_;
};

}  // namespace

LocalSummary run_locally(const LocalRequest& request) { return LocalEngine(request).run(); }

}  // namespace overlay
