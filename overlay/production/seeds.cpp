// The ledger of seeds, whose blocks are handed out under a lock; and whether runs share random numbers.
#include "overlay/production/seeds.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "overlay/card/card.hpp"
#include "overlay/production/run.hpp"

namespace overlay {
namespace {

constexpr const char* kLedgerHead =
    "# Seeds of productions: first place, places, production, date, first and last run. Written by overlay; "
    "delete no line.\n";

/// An open ledger that nobody else has locked.
struct LockedLedger {
  explicit LockedLedger(const fs::path& name) : file(name) {
    std::error_code error;
    fs::create_directories(fs::absolute(file).parent_path(), error);
    fd = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) fail("open", errno);
    while (flock(fd, LOCK_EX) != 0)
      if (errno != EINTR) fail("lock", errno);
  }
  ~LockedLedger() {
    if (fd >= 0) close(fd);
  }
  LockedLedger(const LockedLedger&) = delete;
  LockedLedger& operator=(const LockedLedger&) = delete;

  /// Cuts the file to `size` bytes and appends `text` there. A part of a line counts for nothing.
  void append(std::size_t size, const std::string& text) const {
    const auto end = static_cast<off_t>(size);
    if (ftruncate(fd, end) != 0) fail("write", errno);
    errno = ENOSPC;  // where less was written than asked for
    if (pwrite(fd, text.data(), text.size(), end) != static_cast<ssize_t>(text.size()) || fsync(fd) != 0)
      fail("write", errno);
  }
  [[noreturn]] void fail(const char* what, int problem) const {
    throw support::Error("cannot {} the ledger of seeds {} ({}); give --ledger FILE that you may write to",
                         what, file.string(), std::strerror(problem));
  }

  fs::path file;
  int fd = -1;
};

/// A line of the ledger: what a production has. Lines of older ledgers have no runs: last_run is -1.
struct LedgerLine {
  std::int64_t first_place = 0, places = 0;
  std::string production;
  std::int64_t first_run = 0, last_run = -1;
};

/// All lines. A last one without its end, behind `whole`, was cut off before its caller got it.
std::vector<LedgerLine> read_ledger(const std::string& text, const fs::path& file, std::size_t& whole) {
  std::vector<LedgerLine> lines;
  whole = 0;
  for (std::size_t line = 1, end = 0; (end = text.find('\n', whole)) != std::string::npos; ++line) {
    const auto row = text.substr(whole, end - whole);
    whole = end + 1;
    if (row.empty() || row[0] == '#') continue;
    auto columns = support::split(row, '\t');
    const bool whole_row = columns.size() >= 3;
    columns.resize(6);
    const auto number = [&](std::size_t at) { return card_integer(columns[at], -1); };
    const std::int64_t first = number(0), places = number(1), last_run = number(5);
    if (!whole_row || first < 0 || places < 1 || first > kPlaces || places > kPlaces || last_run > kBillion)
      throw support::Error("{}, line {}: that is no line of a ledger of seeds; give another --ledger",
                           file.string(), line);
    lines.push_back({first, places, columns[2], number(4), last_run});
  }
  return lines;
}

/// Settles the numbers that are asked for.
void settle_numbers(LedgerRuns& runs, std::vector<LedgerLine> lines, const fs::path& file) {
  if (runs.of != nullptr && std::ranges::none_of(lines, [&](const LedgerLine& line) {
        return line.first_place == runs.of->ranges[0].first_place &&
               line.production == support::one_line(runs.of->name);
      }))
    throw support::Error(
        "the ledger {} does not have production {}; give the --ledger that it was planned with",
        file.string(), runs.of->name);
  std::erase_if(lines,
                [](const LedgerLine& line) { return line.first_run < 0 || line.last_run < line.first_run; });
  std::ranges::sort(lines, {}, &LedgerLine::first_run);
  auto free = runs.first == 0 ? runs.from : runs.first;
  const LedgerLine* taken = nullptr;
  for (const auto& line : lines)
    if (line.first_run < free + runs.count && free <= line.last_run) {
      if (taken == nullptr) taken = &line;
      free = line.last_run + 1;
    }
  if (runs.first != 0 && taken != nullptr)
    throw support::Error(
        "production {} of the ledger has runs {} to {}, and numbers of its runs never meet; leave "
        "--first-run out, or give {}",
        taken->production, taken->first_run, taken->last_run, free);
  runs.first = free;
}

/// The states and numbers at which a run's sequences begin.
using Starts = std::vector<std::pair<std::int64_t, std::uint64_t>>;

Starts starts_of(const RunSeeds& run) {
  Starts starts;
  for (const auto& use : run.streams) starts.emplace_back(use.state, use.first);
  return starts;
}

/// Takes what `other` knows of ends into `run`.
void merge_ends(RunSeeds& run, const RunSeeds& other) {
  for (std::size_t i = 0; i < run.streams.size(); ++i) {
    auto& use = run.streams[i];
    const auto& more = other.streams[i];
    use.end = use.end_known ? use.end : more.end_known ? more.end : std::max(use.end, more.end);
    use.end_known = use.end_known || more.end_known;
  }
}

/// Puts runs in the order of their starts, with files of one run together. Returns how many files were.
std::size_t put_files_together(std::vector<RunSeeds>& runs) {
  std::map<std::tuple<Starts, std::int64_t, SeedSource>, int> of_kind;
  std::map<std::tuple<Starts, std::int64_t, int>, RunSeeds> kept;
  auto nobody = std::numeric_limits<std::int64_t>::min();  // a run without a number is its own alone
  for (auto& run : runs) {
    const auto number = run.number.value_or(nobody++);
    const int which = of_kind[{starts_of(run), number, run.source}]++;
    const auto [at, is_new] = kept.try_emplace({starts_of(run), number, which}, run);
    if (is_new) continue;
    merge_ends(at->second, run);
    at->second.name += " with " + run.name;
  }
  const auto files = runs.size();
  runs.clear();
  for (auto& [key, run] : kept) runs.push_back(std::move(run));
  return files - runs.size();
}

/// A stretch of a stream, of a run's sequence.
struct Stretch {
  StreamUse use;
  std::uint32_t run = 0;
  int sequence = 0;
};

/// `seed`: as the line says it; where the run has another one of the same start, that is said, too.
std::string describe(const Stretch& stretch, std::int64_t seed, const std::vector<RunSeeds>& runs) {
  const auto& use = stretch.use;
  const auto as = use.seed == seed ? std::string() : fmt::format(" (seed {})", use.seed);
  const auto from = use.first == 0 ? std::string() : fmt::format(" from number {}", use.first);
  const auto to = use.end == use.first ? std::string()
                                       : fmt::format(" to {}{}", use.end, use.end_known ? "" : " or further");
  return fmt::format("{} sequence {}{}{}{}", runs[stretch.run].name, stretch.sequence, as, from, to);
}

std::string seeds_in_words(const RunSeeds& run) {
  std::vector<std::string> seeds;
  for (const auto& use : run.streams)
    seeds.push_back(use.first == 0 ? fmt::format("{}", use.seed)
                                   : fmt::format("{} from number {}", use.seed, use.first));
  return support::join(seeds, ", ");
}

/// Groups of runs that begin alike; one of each goes on to the comparison of streams.
std::vector<std::uint32_t> find_repeats(const std::vector<RunSeeds>& runs, SeedReport& report) {
  std::vector<std::uint32_t> first_of_group;
  for (std::size_t at = 0; at < runs.size();) {
    auto end = at + 1;
    while (end < runs.size() && starts_of(runs[at]) == starts_of(runs[end])) ++end;
    first_of_group.push_back(static_cast<std::uint32_t>(at));
    if (end - at > 1) {
      std::vector<std::string> names;
      const auto seeds = seeds_in_words(runs[at]);
      for (auto i = at; i < end; ++i) {
        const auto own = seeds_in_words(runs[i]);
        names.push_back(runs[i].name + (own == seeds ? "" : fmt::format(" (by its seeds {})", own)));
      }
      report.repeats.push_back(
          fmt::format("repeat: {}: the same seeds in all sequences: {}", fmt::join(names, ", "), seeds));
      report.repeating += end - at - 1;
    }
    at = end;
  }
  return first_of_group;
}

/// Adds a line that says how many of something there are, where there are any.
void say_unknown(SeedReport& report, std::size_t count, const char* what) {
  if (count > 0) report.unknown.push_back(fmt::format("{} {}", count, what));
}

/// Stretches of one stream that touch each other, and those of which nobody knows.
void find_overlaps(const std::vector<RunSeeds>& runs, const std::vector<std::uint32_t>& which,
                   SeedReport& report) {
  std::vector<Stretch> stretches;
  for (const auto run : which)
    for (std::size_t i = 0; i < runs[run].streams.size(); ++i)
      if (runs[run].streams[i].seed != kSeedNotTold)
        stretches.push_back({runs[run].streams[i], run, static_cast<int>(i + 1)});
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) {
    return std::tie(a.use.state, a.use.first) < std::tie(b.use.state, b.use.first);
  });
  std::size_t maybe = 0;
  for (std::size_t at = 0; at < stretches.size();) {
    auto reach = stretches[at].use.end;
    bool known = stretches[at].use.end_known;
    auto end = at + 1;
    for (; end < stretches.size() && stretches[end].use.state == stretches[at].use.state; ++end) {
      const auto& use = stretches[end].use;
      if (use.first != stretches[end - 1].use.first && use.first >= reach) break;
      reach = std::max(reach, use.end);
      known = known && use.end_known;
    }
    if (end - at > 1) {
      const auto seed = stretches[at].use.seed;
      std::string line = fmt::format("overlap: seed {}: ", seed);
      for (auto i = at; i < end; ++i) line += (i == at ? "" : ", ") + describe(stretches[i], seed, runs);
      report.overlaps.push_back(std::move(line));
    }
    if (end < stretches.size() && stretches[end].use.state == stretches[at].use.state && !known) ++maybe;
    at = end;
  }
  say_unknown(report, maybe,
              "times a seed's stream is entered at different numbers, and how far the earlier run drew is "
              "not known: give the whole logs");
}

}  // namespace

fs::path default_ledger() {
  if (const char* set = std::getenv("OVERLAY_LEDGER"); set != nullptr && *set != '\0') return set;
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data == '/') return fs::path(data) / "overlay" / "seeds.ledger";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/')
    throw support::Error("HOME is not set, so there is no place for the ledger of seeds; give --ledger FILE");
  return fs::path(home) / ".local" / "share" / "overlay" / "seeds.ledger";
}

std::int64_t take_places(const fs::path& ledger, std::int64_t places, const std::string& production,
                         LedgerRuns& runs) {
  const LockedLedger file(ledger);
  const auto text = support::read_file(fmt::format("/proc/self/fd/{}", file.fd));
  std::size_t whole = 0;
  const auto lines = read_ledger(text, ledger, whole);
  std::int64_t first = 0;
  for (const auto& line : lines) first = std::max(first, line.first_place + line.places);
  settle_numbers(runs, lines, ledger);
  if (places < 1 || first > kPlaces - places)
    throw support::Error(
        "the ledger {} has seeds left for {} of {} runs, and this production has {}; give fewer runs, "
        "--seeds offsets, or another --ledger for productions that are never used together",
        ledger.string(), std::max<std::int64_t>(0, kPlaces - first), kPlaces, places);
  if (runs.look) return first;
  const std::string line =
      fmt::format("{}{}\t{}\t{}\t{}\t{}\t{}\n", text.empty() ? kLedgerHead : "", first, places,
                  support::one_line(production), utc_now(), runs.first, runs.first + runs.count - 1);
  file.append(whole, line);
  return first;
}

std::int64_t start_state(std::int64_t seed) {
  // RMMAQD keeps remainders: of the seed by 30082, and of the quotient by 177 * 177.
  constexpr std::int64_t kPeriod = std::int64_t{177} * 177 * 30082;
  return seed == kSeedNotTold ? seed : seed % kPeriod;
}

SeedReport compare_seeds(std::vector<RunSeeds> runs) {
  SeedReport report;
  std::size_t not_told = 0;
  for (auto& run : runs)
    for (auto& use : run.streams) {
      use.state = start_state(use.seed);
      if (use.seed == kSeedNotTold) ++not_told;
    }
  std::erase_if(runs, [](const RunSeeds& run) {
    return std::ranges::all_of(run.streams, [](const auto& use) { return use.seed == kSeedNotTold; });
  });
  const auto merged = put_files_together(runs);
  report.runs = runs.size();
  const auto distinct = find_repeats(runs, report);
  find_overlaps(runs, distinct, report);
  say_unknown(report, static_cast<std::size_t>(std::ranges::count(runs, true, &RunSeeds::rounded)),
              "output files hold seeds beyond 2^24, which their headers round: give cards or logs");
  say_unknown(report, not_told, "sequences have no seed that can be read: give cards");
  const auto few = std::ranges::count_if(
      runs, [](const RunSeeds& run) { return run.source == SeedSource::card && run.streams.size() < 4; });
  say_unknown(report, static_cast<std::size_t>(few),
              "cards have fewer than four SEED lines: in all of them a sequence without one begins from its "
              "own number");
  say_unknown(report, merged,
              "files have run number and seeds of a file of another kind, and count as the same run: give "
              "one kind of file to be sure");
  report.unknown.emplace_back(
      "that streams of different start states never meet is not proven; none is known to");
  return report;
}

}  // namespace overlay
