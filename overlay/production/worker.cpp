// The work of one run, `overlay production run DIR RUN`, the same under every engine; and `start`, the engine
// for one machine. Each step of the work says with which status the worker ends where it fails. And the class
// of a node: which last bits its libm computes; writes node-class.json alone.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <deque>
#include <mutex>

#include "overlay/build/workplace.hpp"
#include "overlay/production/production.hpp"
#include "overlay/report/page.hpp"
#include "support/checksum.hpp"
#include "support/machine.hpp"

namespace overlay {
namespace {

/// Adds the results of a function of one or two arguments. It is called through a volatile pointer, so that
/// no compiler computes a result in advance or takes a vector variant. Arguments are spread from `low` to
/// `high`, second ones from -`second` to `second`, by a multiplicative generator (Lewis, Goodman, Miller
/// 1969), whose products are exact in 64 bits.
template <class T, class Function>
void add_results(support::Checksum& sum, Function function, double low, double high, double second = 0) {
  constexpr int kArguments = 2000;
  std::uint64_t state = 20010911;
  const auto next = [&state](double from, double to) {
    state = state * 16807 % 2147483647;
    return static_cast<T>(from + (to - from) * (static_cast<double>(state) / 2147483647.0));
  };
  Function volatile call = function;
  for (int i = 0; i < kArguments; ++i) {
    const T first = next(low, high);
    T result = 0;
    if constexpr (std::is_invocable_v<Function, T, T>)
      result = call(first, next(-second, second));
    else
      result = call(first);
    sum.update({reinterpret_cast<const char*>(&result), sizeof result});
  }
}

template <class T>
void add_all(support::Checksum& sum) {
  using Two = T (*)(T, T);
  const struct {
    T (*call)(T);
    double low, high;
  } functions[] = {
      {std::sin, -50, 50},   {std::cos, -50, 50},    {std::tan, -10, 10},     {std::asin, -1, 1},
      {std::acos, -1, 1},    {std::atan, -20, 20},   {std::exp, -60, 60},     {std::exp2, -60, 60},
      {std::expm1, -3, 3},   {std::log, 1e-6, 1e6},  {std::log2, 1e-6, 1e6},  {std::log10, 1e-6, 1e6},
      {std::log1p, -0.9, 9}, {std::sinh, -9, 9},     {std::cosh, -9, 9},      {std::tanh, -4, 4},
      {std::asinh, -9, 9},   {std::acosh, 1, 90},    {std::atanh, -0.9, 0.9}, {std::erf, -3, 3},
      {std::erfc, -3, 3},    {std::lgamma, 0.1, 50}, {std::tgamma, 0.1, 20},  {std::cbrt, -99, 99}};
  for (const auto& function : functions) add_results<T>(sum, function.call, function.low, function.high);
  add_results<T>(sum, Two{std::pow}, 1e-3, 1e3, 9);
  add_results<T>(sum, Two{std::atan2}, -9, 9, 9);
  add_results<T>(sum, Two{std::hypot}, -9, 9, 9);
}

/// One attempt, from the checks to the publication.
std::string attempt_run(RunOrder order, RunningAttempt& mark) {
  order.staging = mark.folder;
  order.failed_log = mark.log;
  order.check = [&mark] {
    support::check_interrupt();
    mark.beat();
  };
  const std::string node_class = checked_class(order.plan, this_program());
  FinishedRun made = make_run(order);
  made.manifest.attempt = mark.id;
  made.manifest.node_class = node_class;
  const bool first = publish(order.plan, made.manifest, mark.folder);
  return fmt::format("run {} {}", order.run,
                     first ? "is published" : "was published meanwhile by another attempt; it agrees");
}

/// What the exception that is handled means for a run; `status` where the error is ours and says no more.
WorkerError failure(const fs::path& folder, WorkerExit status) try {
  throw;
} catch (const WorkerError& error) {
  return error;
} catch (const support::Interrupted&) {
  return {WorkerExit::try_again, "the worker was interrupted by a signal", "killed"};
} catch (const std::exception& error) {
  if (support::disk_is_full(folder, error.what())) return cannot_write(folder / "results", ENOSPC);
  const bool ours = dynamic_cast<const support::Error*>(&error) != nullptr;
  return {ours ? status : WorkerExit::try_again, error.what()};
}

/// What a worker does once it has a mark: it leaves either a manifest or an attempt's file.
std::string marked_attempt(const RunOrder& order) {
  const fs::path& folder = order.plan.folder;
  std::optional<RunningAttempt> mark;
  try {
    mark.emplace(folder, order.run);
    return attempt_run(order, *mark);
  } catch (const std::exception&) {
    const WorkerError failed = failure(folder, WorkerExit::try_again);
    if (mark) mark->failed(failed);
    mark.reset();
    const std::string why =
        failed.status == WorkerExit::try_again ? poisoned(order.run, attempts_at(folder, order.run)) : "";
    if (!why.empty()) throw WorkerError(WorkerExit::never, why + "; the run is poisoned");
    throw failed;
  }
}

/// A worker's last line, without the program's name before it.
std::string last_line_of(std::string text, int exit) {
  constexpr std::string_view kName = "overlay: error: ";
  text.erase(text.find_last_not_of('\n') + 1);  // npos + 1 is 0
  text.erase(0, text.rfind('\n') + 1);
  if (text.starts_with(kName)) text.erase(0, kName.size());
  if (!text.empty()) return text;
  return exit > 128 ? fmt::format("signal {} ended it", exit - 128) : "it said nothing";
}

}  // namespace

std::string libm_bits() {
  support::Checksum sum;
  add_all<double>(sum);
  add_all<float>(sum);
  return sum.hexadecimal();
}

std::string checked_class(const ProductionPlan& plan, const fs::path& overlay) {
  if (plan.class_policy == "any") return {};
  support::Command command{.argv = {overlay.string(), "production", "libm-bits"},
                           .errors = support::Command::Errors::kDropped};
  if (!plan.tunables.empty()) command.environment["GLIBC_TUNABLES"] = plan.tunables;
  const auto result = support::run(command);
  constexpr std::size_t kDigits = 64, kShown = 12;
  if (result.status != 0 || result.output.size() < kDigits)
    throw WorkerError(WorkerExit::try_again,
                      fmt::format("{} cannot compute libm's bits on this node", overlay.string()));
  const std::string own = result.output.substr(0, kDigits);
  // link(2) fails where the name is taken, on network file systems too, so the first node's class stays.
  const fs::path place = plan.folder / "node-class.json";
  if (std::error_code error; !fs::exists(place, error)) {
    const support::TemporaryFolder mine(plan.folder, ".node-class");
    const nlohmann::json text{{"format", 1}, {"libm", own}, {"measured_on", host_name()}};
    support::write_file(mine.path() / "json", text.dump(2) + "\n");
    link_to(mine.path() / "json", place);
  }
  const auto text = nlohmann::json::parse(support::read_file(place), nullptr, false);
  if (!text.is_object() || !text.contains("libm") || !text["libm"].is_string())
    throw support::Error("{} is damaged; delete it where no run is published yet, else copy it from a backup",
                         place.string());
  const std::string known = text["libm"];
  if (own == known) return own;
  throw WorkerError(WorkerExit::other_bits,
                    fmt::format("{} is of another class than the production's nodes: libm gives other bits "
                                "here ({} instead of {}); run it elsewhere, or plan with --processors pinned",
                                host_name(), own.substr(0, kShown), known.substr(0, kShown)));
}

std::string work_on_run(const fs::path& folder, std::int64_t run, const fs::path& scratch) try {
  std::error_code error;
  if (!fs::is_regular_file(folder / "production.toml", error))
    throw WorkerError(WorkerExit::try_again,
                      fmt::format("{} has no production.toml; give the folder that overlay production new "
                                  "made, and see that this node can reach it",
                                  folder.string()));
  const ProductionPlan plan = read_plan(folder);
  planned_run(plan, run);  // it has that run
  note_vanished(folder, run);
  const RunState found = verify_run(plan, run, VerifyDepth::digests);
  if (found.state == kPublished) return fmt::format("run {} is done already", run);
  if (found.state == kPoisoned)
    throw WorkerError(WorkerExit::never, fmt::format("{}; the run is poisoned: delete {} to try it again",
                                                     found.reason, attempts_folder(run).string()));
  if (found.state == kRejected) set_aside(plan, run, found.reason);
  return marked_attempt({plan, run, scratch});
} catch (const std::exception&) {
  throw failure(folder, WorkerExit::never);  // where the plan itself is not right no attempt can mend that
}

int start_production(const LocalRequest& request) {
  check_least("--jobs", request.jobs, 0);
  using Clock = std::chrono::steady_clock;
  const Survey before = survey_of(read_plan(request.folder), VerifyDepth::sizes);
  std::deque<std::int64_t> to_do(before.absent.begin(), before.absent.end());
  if (request.most > 0) to_do.resize(std::min(to_do.size(), static_cast<std::size_t>(request.most)));
  const auto jobs = request.jobs > 0 ? static_cast<std::size_t>(request.jobs)
                                     : std::max<std::size_t>(1, support::allowed_cores().size());
  const auto began = Clock::now();
  std::mutex mutex;  // of all below, and of to_do
  std::int64_t made = 0, running = 0;
  std::map<std::int64_t, int> retried;
  std::vector<std::string> failed;  // one line each
  bool stopped = false, all_end = false;
  double said_s = 0;

  const auto say_progress = [&](bool last) {
    const double now = std::chrono::duration<double>(Clock::now() - began).count();
    if (!last && now - said_s < (isatty(STDERR_FILENO) == 1 ? 10 : 60)) return;
    said_s = now;
    fmt::print(stderr, "overlay: {} of {} runs done, {} running, {} failed; {}\n",
               before.of(kPublished) + made, before.planned, running, failed.size(),
               rate_text(3600 * static_cast<double>(made) / now));
  };
  try {
    in_parallel(jobs, jobs, [&](std::size_t) {
      for (std::unique_lock lock(mutex); !to_do.empty(); say_progress(false)) {
        const auto run = to_do.front();
        to_do.pop_front();
        ++running;
        lock.unlock();
        support::Command worker{.argv = {request.overlay.string(), "production", "run",
                                         request.folder.string(), std::to_string(run)}};
        if (!request.scratch.empty())
          worker.argv.insert(worker.argv.end(), {"--scratch", request.scratch.string()});
        const auto result = support::run(worker);
        auto said = last_line_of(result.output, result.status);
        lock.lock();
        --running;
        std::error_code error;
        const auto plan = request.folder / "production.toml";
        const bool moved = !fs::exists(plan, error);
        if (moved)
          said = plan.string() + " is no longer there; if the production was moved, start it where it is now";
        const auto exit = static_cast<WorkerExit>(result.status);
        all_end = all_end || moved || exit == WorkerExit::other_bits;
        if (exit == WorkerExit::done) {
          ++made;
        } else if (exit != WorkerExit::never && !all_end && retried[run]++ < request.retries) {
          fmt::print(stderr, "overlay: run {} ended with {} and is tried again: {}\n", run, result.status,
                     said);
          to_do.push_back(run);
        } else {
          failed.push_back(fmt::format("run {} ended with {}: {}", run, result.status, said));
        }
        if (all_end) to_do.clear();
      }
    });
  } catch (const support::Interrupted&) {
    stopped = true;
    running = 0;
  }

  say_progress(true);
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < std::min(kShown, failed.size()); ++i)
    fmt::print(stderr, "overlay: {}\n", failed[i]);
  if (failed.size() > kShown) fmt::print(stderr, "overlay: and {} more\n", failed.size() - kShown);
  const auto done = before.of(kPublished) + made;
  fmt::print("{} of {} runs are published, {} of them by this call\n", done, before.planned, made);
  if (done == before.planned) return 0;
  fmt::print("next       {}   (does what is left)\n",
             to_type({"production", "start", request.folder.string()}));
  if (!failed.empty()) return 1;
  return stopped ? 130 : 0;  // 0: --most ended it
}

}  // namespace overlay
