// The state of all runs: lists folders, and lets threads verify what is in them, 1000 runs at a time.
#include "overlay/production/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "support/error.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kShard = 1000;  // runs of one folder of results/

/// The run that a name begins with, -1 where it begins with none. `rest` is what follows.
std::int64_t run_in_name(const std::string& name, std::string& rest) {
  std::int64_t run = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), run);
  if (error != std::errc() || name.substr(0, static_cast<std::size_t>(end - name.data())) != run_name(run))
    return -1;
  rest = end;
  return run;
}

/// Names in a folder; none where there is no folder.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator it(folder, error);
  if (error == std::errc::no_such_file_or_directory) return names;
  for (const fs::directory_iterator end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  if (error)
    throw support::Error(
        fmt::format("cannot read {} ({}); may you read it?", folder.string(), error.message()));
  return names;
}

/// Which runs have something in a place.
using Marks = std::vector<bool>;

/// Runs of the shard whose manifests are there; names of manifests that are of none of them go to `strays`.
Marks manifests_in(const ProductionPlan& plan, const fs::path& folder, std::int64_t first, std::int64_t last,
                   std::vector<std::string>& strays) {
  Marks marks(static_cast<std::size_t>(last - first + 1));
  const auto shard = results_folder(plan, first);
  for (const auto& name : names_in(folder / shard)) {
    if (!name.ends_with(".json")) continue;
    std::string rest;
    const auto run = run_in_name(name, rest);
    if (run >= first && run <= last && rest == ".json")
      marks[static_cast<std::size_t>(run - first)] = true;
    else
      strays.push_back(
          fmt::format("{} is of no run that belongs there; move it away", (shard / name).string()));
  }
  return marks;
}

Marks attempts_in(const ProductionPlan& plan, const fs::path& folder) {
  Marks marks(static_cast<std::size_t>(plan.run_count()));
  for (const auto& name : names_in(folder / "attempts")) {
    std::string rest;
    const auto run = run_in_name(name, rest);
    if (rest.empty() && run >= 0 && plan.has_run(run))
      marks[static_cast<std::size_t>(plan.index_of(run))] = true;
  }
  return marks;
}

/// Shards are taken by threads and handed on in order.
class ShardScan {
 public:
  ShardScan(const ProductionPlan& plan, const fs::path& folder, VerifyDepth depth,
            const std::function<void(const ScannedRun&)>& visit)
      : plan_(plan),
        folder_(folder),
        digest_(plan_digest(folder)),
        depth_(depth),
        visit_(visit),
        attempts_(attempts_in(plan, folder)),
        shards_((plan.run_count() + kShard - 1) / kShard) {}

  std::vector<std::string> run() {
    const auto count = std::clamp<std::int64_t>(static_cast<std::int64_t>(support::allowed_cores().size()), 1,
                                                std::min<std::int64_t>(shards_, 16));
    std::vector<std::jthread> threads;
    for (std::int64_t i = 1; i < count; ++i) threads.emplace_back([this] { work(); });
    work();
    threads.clear();
    if (problem_) std::rethrow_exception(problem_);
    return std::move(strays_);
  }

 private:
  void work() {
    try {
      for (;;) {
        const auto shard = next_.fetch_add(1);
        if (shard >= shards_ || failed_) return;
        one_shard(shard);
      }
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!problem_) problem_ = std::current_exception();
      failed_ = true;
      turn_came_.notify_all();
    }
  }

  void one_shard(std::int64_t shard) {
    const auto first = plan_.first_run + shard * kShard,
               last = std::min(first + kShard - 1, plan_.last_run());
    std::vector<std::string> strays;
    const auto manifests = manifests_in(plan_, folder_, first, last, strays);
    std::vector<ScannedRun> runs(static_cast<std::size_t>(last - first + 1));
    for (auto number = first; number <= last; ++number) {
      auto& run = runs[static_cast<std::size_t>(number - first)];
      run.number = number;
      const bool attempted = attempts_[static_cast<std::size_t>(plan_.index_of(number))];
      if (attempted) {
        support::check_interrupt();
        run.attempts = attempts_at(folder_, number);
      }
      if (manifests[static_cast<std::size_t>(number - first)] || attempted)
        run.state = verify_run(plan_, folder_, digest_, number, depth_);
    }
    support::check_interrupt();
    std::unique_lock lock(mutex_);
    turn_came_.wait(lock, [&] { return turn_ == shard || failed_; });
    if (failed_) return;
    for (const auto& run : runs) visit_(run);
    strays_.insert(strays_.end(), strays.begin(), strays.end());
    ++turn_;
    turn_came_.notify_all();
  }

  const ProductionPlan& plan_;
  const fs::path& folder_;
  const std::string digest_;
  const VerifyDepth depth_;
  const std::function<void(const ScannedRun&)>& visit_;
  const Marks attempts_;
  const std::int64_t shards_;
  std::atomic<std::int64_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::condition_variable turn_came_;
  std::int64_t turn_ = 0;            // shard that is visited next
  std::vector<std::string> strays_;  // guarded by mutex_, as turn_ and problem_ are
  std::exception_ptr problem_;
};

}  // namespace

std::vector<std::string> scan_runs(const ProductionPlan& plan, const fs::path& folder, VerifyDepth depth,
                                   const std::function<void(const ScannedRun&)>& visit) {
  return ShardScan(plan, folder, depth, visit).run();
}

}  // namespace overlay
