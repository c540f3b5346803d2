// Runs of a proof, several at a time, and the way from a build to its proof and to the program with the stage
// at work. Writes run folders below BuildSet::out, proofs beside the builds and in the user's own list.
#include "overlay/prove/prove.hpp"

#include <fmt/chrono.h>
#include <gnu/libc-version.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <set>

#include "overlay/build/profile.hpp"
#include "overlay/build/source.hpp"
#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "overlay/run/runner.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

/// Steps of a kind that count as often, of so many in all.
std::uint64_t often(std::uint64_t steps) { return std::clamp<std::uint64_t>(steps / 10000, 10, 1000); }

constexpr int kMostPeriods = 4;   // after so many a kind that was not seen will not come
constexpr int kRunsOfCurved = 4;  // each has other zenith angles; CORSIKA's start takes 12 s

/// The kinds that a proof has to have seen often.
std::vector<std::string> kinds_wanted(const BuildSet& set) {
  if (set.cherenkov_stage.covered != "whole") return {"hits", "skipped"};
  std::vector<std::string> kinds{"hits", "candidates", "over_100", "near_threshold"};
  const auto has = [&](const char* option) { return contains(set.profile.options, option); };
  if (!has("CERWLEN")) kinds.emplace_back("one_bunch");  // with it CORSIKA does these
  if (!has("CURVED")) kinds.emplace_back("each_bunch");  // no step with CURVED counts as such
  if (set.standin ? has("LONGI") : !has("NOCLONG")) kinds.emplace_back("several_bins");
  return kinds;
}

/// What the threads share; `mutex` guards all that changes.
class ProofRuns {
 public:
  ProofRuns(const BuildSet& set, const ProofOptions& options)
      : set_(set),
        options_(options),
        poll_(options.poll),
        period_(contains(set.profile.options, "CURVED") ? kRunsOfCurved : kCardPeriod) {
    options_.poll = [this] { check_if_stopped(); };
    proof_ = set.conditions;
  }

  std::pair<Proof, ProofRun> run(int threads) {
    const auto all = static_cast<std::size_t>(threads);
    in_parallel(all, all, [this](std::size_t) { work(); });
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K");
    if (!different_.name.empty())
      proof_.failure = fmt::format("run {}: {}", different_.name, different_.reason);
    else if (const auto kind = missing_kind(); !kind.empty())
      proof_.failure = fmt::format("too few of the kind {} were seen in {} steps: {} of {}", kind,
                                   proof_.steps, seen(kind), often(options_.steps));
    else if (stage_took_ == 0)
      proof_.failure = "the stage took no light where it ran alone";
    return {std::move(proof_), std::move(different_)};
  }

 private:
  void check_if_stopped() const {
    if (stop_) throw support::Interrupted();
    if (poll_) poll_();
  }

  /// Steps of a kind. What the stage emits bunch by bunch where it records steps is CORSIKA's own loop's
  /// where it records none.
  std::uint64_t seen(const std::string& kind) {
    auto& kinds = proof_.kinds;
    return kind == "each_bunch" ? kinds[kind] + kinds["own_loop"] : kinds[kind];
  }

  /// A kind that was not seen often; empty where there is none.
  std::string missing_kind() {
    for (const auto& kind : kinds_wanted(set_))
      if (seen(kind) < often(options_.steps)) return kind;
    return {};
  }

  /// Whether no more runs are to begin.
  bool is_done() {
    if (stop_ || next_ >= kMostPeriods * period_) return true;
    return done_ >= period_ && with_light_ >= options_.steps && missing_kind().empty();
  }

  /// Steps that the next run is to have, so that a whole period has as many as are asked for.
  std::uint64_t steps_of_next() const {
    constexpr int kToLearnFrom = 6;  // runs
    double share = static_cast<double>(options_.steps) / period_;
    if (done_ >= kToLearnFrom && wanted_ > 0) {
      const double made = static_cast<double>(with_light_) / static_cast<double>(wanted_);
      share /= std::clamp(made, 0.25, 4.);
    }
    return std::max<std::uint64_t>(100, static_cast<std::uint64_t>(share));
  }

  void work() {
    try {
      for (;;) {
        int number = 0;
        std::uint64_t steps = 0;
        {
          const std::lock_guard lock(mutex_);
          if (is_done()) return;
          number = next_++;
          steps = steps_of_next();
        }
        ProofRun run = proof_card(set_, number, steps);
        run_proof_card(set_, options_, run, number);
        const std::lock_guard lock(mutex_);
        count(run, steps);
      }
    } catch (...) {
      if (!stop_.exchange(true)) throw;  // else another one's difference or failure ended this one
    }
  }

  void count(const ProofRun& run, std::uint64_t wanted) {
    ++done_;
    if (run.left_out) {
      if (++proof_.left_out > 2 && 2 * proof_.left_out > static_cast<std::uint64_t>(done_))
        throw support::Error("most runs of the proof fail with the stage off, too: {}", run.reason);
      return;
    }
    if (!run.reason.empty()) {
      if (different_.name.empty()) different_ = run;
      stop_ = true;
      return;
    }
    auto counts = run.counts;
    const std::uint64_t steps = counts["steps"];
    with_light_ += steps - std::min(steps, counts["no_light"]);
    counts.erase("steps");
    for (const auto& [kind, number] : counts) proof_.kinds[kind] += number;
    for (const auto& [what, seconds] : run.cpu_s) proof_.cpu_s[what] += seconds;
    proof_.steps += steps;
    proof_.runs.push_back({{"name", run.name}, {"steps", steps}, {"card", run.card}});
    wanted_ += wanted;
    stage_took_ += run.stage_bunches;
    report_progress();
  }

  /// One line, which is written over.
  void report_progress() const {
    if (isatty(STDERR_FILENO) == 0) return;
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const double part = std::min(static_cast<double>(with_light_) / static_cast<double>(options_.steps),
                                 static_cast<double>(done_) / period_);
    const double left = part > 0 ? std::max(0., elapsed / part - elapsed) : 0;
    fmt::print(stderr, "\roverlay: {:.3g} steps equal, {} runs, about {:.0f} s left \033[K",
               static_cast<double>(with_light_), done_, left);
    std::fflush(stderr);
  }

  const BuildSet& set_;
  ProofOptions options_;
  std::function<void()> poll_;
  int period_;  ///< runs, at least
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

  std::mutex mutex_;
  std::atomic<bool> stop_ = false;
  int next_ = 0, done_ = 0;
  std::uint64_t wanted_ = 0;      ///< steps with light that the runs that ended were to have
  std::uint64_t with_light_ = 0;  ///< and had
  std::uint64_t stage_took_ = 0;  ///< bunches, where it ran alone
  Proof proof_;
  ProofRun different_;
};

/// Makes the tables that a program makes at its first run, and puts them among the data files of `set`.
void make_tables(BuildSet& set, const ProofOptions& options) {
  auto spec = corsika_run(set, "patched", card_of_one_low_shower(set.card), options.folder / "first");
  spec.environment = {{"CHERENKOV_BACKEND", "off"}};
  spec.timeout_s = options.timeout_s;
  spec.check = options.poll;
  run_program(spec);
  for (const auto& name : tables_in(spec.folder)) set.data_files[name] = spec.folder / name;
}

/// Proves and remembers what came of it; says the first and the last of three lines.
std::pair<Proof, ProofRun> prove_and_remember(const BuildSet& set, const ProofOptions& options) {
  std::pair<Proof, ProofRun> result{set.conditions, {}};
  Proof& proof = result.first;
  fmt::print(stderr,
             "overlay: proving the Cherenkov stage on these sources: {:.2g} steps with light, some minutes "
             "(--no-prove leaves the stage off)\n",
             static_cast<double>(options.steps));
  bool ended = false;  // a run that fails for another reason says nothing of the stage: not remembered
  try {
    result = prove_programs(set, options);
    ended = true;
  } catch (const support::Error& problem) {
    if (support::disk_is_full(set.out, problem.what())) throw;
    proof.failure = problem.what();
  }
  const auto selected = set.standin ? set.profile.options : selected_options(set.patched_tree);
  proof.more = {{"covered", set.cherenkov_stage.covered},
                {"corsika", set.corsika_version},
                {"options", std::set(selected.begin(), selected.end())},
                {"libm", fmt::format("glibc {}", gnu_get_libc_version())},
                {"processor", support::describe_machine().cpu}};
  proof.made = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  if (ended) remember(proof, set.builds);
  if (proof.failure.empty())
    fmt::print(stderr, "overlay: proven: {} steps of {} runs equal{}\n", proof.steps, proof.runs.size(),
               proof.left_out > 0 ? fmt::format("; {} cards left out", proof.left_out) : "");
  else
    fmt::print(stderr, "overlay: {}: {}; overlay prove --cherenkov repeats it\n",
               ended ? "not proven, so the stage stays off" : "the proof could not be made", proof.failure);
  return result;
}

/// Leaves the card and the data files of a run that differs beside the builds, and says how it repeats.
void print_repeat(const BuildSet& set, const ProofRun& run) {
  if (run.name.empty()) return;
  const auto folder =
      prepare_run_dir(set, run.card, set.builds / ("cherenkov-difference-" + support::random_name()) / "run");
  fmt::print("It repeats: cd {} && {}{} < card > log\n", folder.string(), run.repeat,
             set.programs.at("patched").string());
}

void print_proof(const BuildSet& set, const Proof& proof) {
  std::string kinds;
  for (const auto& [kind, number] : proof.kinds)
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", kind, number);
  auto cpu_s = proof.cpu_s;
  fmt::print("Proven: {} steps of {} runs equal ({})\n", proof.steps, proof.runs.size(), kinds);
  fmt::print("CPU time of the runs: stock {:.1f} s, checked {:.1f} s, with the stage {:.1f} s\n",
             cpu_s["stock"], cpu_s["check"], cpu_s["stage"]);
  fmt::print("Sources: {}\n", set.conditions.sources);
}

/// Throws Error where stock refuses the card in its own way, which only a run shows; it ends when the first
/// shower begins.
void try_card(const BuildSet& set, const std::string& card) {
  const auto folder = set.out / "runs" / ("card-" + support::random_name());
  check_card(corsika_run(set, "stock", card, folder));
  support::remove_folder(folder);
}

}  // namespace

std::pair<Proof, ProofRun> prove_programs(const BuildSet& built, ProofOptions options) {
  BuildSet set = built;
  fs::create_directories(set.out / "runs");
  const support::TemporaryFolder folder(set.out / "runs", "proof");
  options.folder = folder.path();
  options.gpu = !support::describe_machine().gpu.empty();
  make_tables(set, options);
  const int threads = options.jobs > 0 ? options.jobs : static_cast<int>(support::allowed_cores().size());
  return ProofRuns(set, options).run(std::max(1, threads));
}

BuildSet build_proven(BuildRequest request, const std::vector<std::string>& which) {
  // The project's own cards need no trial: the start of some takes 20 s.
  const bool tried =
      contains(which, "stock") &&
      (!request.more_cards.empty() ||
       !stays_in_folder(asked_profile(request).card_file.lexically_relative(source_root() / "profiles")));
  // Stock and patched are made side by side: stock alone would take hardly less time.
  const bool apart = tried && which.size() > 2;
  std::vector<std::string> first{"stock"};
  if (contains(which, "patched")) first.emplace_back("patched");
  auto set = build_profile(request, apart ? first : which);
  request.quiet = true;
  if (tried) try_card(set, request.more_cards.empty() ? set.card : request.more_cards.front());
  if (apart) set = build_profile(request, which);
  const auto& stage = set.cherenkov_stage;
  if (!stage.is_covered() || stage.works || !request.prove || proof_for(set.conditions, set.builds))
    return set;
  ProofOptions options;
  options.steps = request.prove_steps;
  options.jobs = request.jobs;
  options.poll = support::check_interrupt;
  prove_and_remember(build_profile(request, {"stock", "patched"}), options);
  return build_profile(request, which);
}

int prove_cherenkov(BuildRequest request, ProofOptions options) {
  const BuildSet set = build_profile(request, {"stock", "patched"});
  if (!set.cherenkov_stage.is_covered())
    throw support::Error("there is nothing to prove: the Cherenkov stage is {}", set.cherenkov_stage.text());
  options.poll = support::check_interrupt;
  const auto [proof, different] = prove_and_remember(set, options);
  request.quiet = true;
  build_profile(request, {"patched"});
  const bool equal = proof.failure.empty();
  if (equal)
    print_proof(set, proof);
  else
    print_repeat(set, different);
  return equal ? 0 : 1;
}

}  // namespace overlay
