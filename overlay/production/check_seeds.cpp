// Whether runs share random numbers: sorts starts and streams, and names those that meet.
#include "overlay/production/check_seeds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace overlay {
namespace {

/// Order of the starts of two runs, whatever their ends.
int compare_starts(const RunSeeds& a, const RunSeeds& b) {
  const auto common = std::min(a.streams.size(), b.streams.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (a.streams[i].seed != b.streams[i].seed) return a.streams[i].seed < b.streams[i].seed ? -1 : 1;
    if (a.streams[i].first != b.streams[i].first) return a.streams[i].first < b.streams[i].first ? -1 : 1;
  }
  if (a.streams.size() == b.streams.size()) return 0;
  return a.streams.size() < b.streams.size() ? -1 : 1;
}

/// Whether `other` may be the same run as `run`, seen through another kind of file.
bool may_be_same(const RunSeeds& run, const RunSeeds& other) {
  return run.number && run.number == other.number && run.source != other.source;
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

/// Runs in the order of their starts, with files of one run put together. Returns how many files were.
std::int64_t put_files_together(std::vector<RunSeeds>& runs) {
  std::stable_sort(runs.begin(), runs.end(), [](const RunSeeds& a, const RunSeeds& b) {
    const int order = compare_starts(a, b);
    return order != 0 ? order < 0 : a.number < b.number;
  });
  std::int64_t merged = 0;
  std::vector<RunSeeds> kept;
  std::vector<std::vector<SeedSource>> kinds;  // of each kept run
  kept.reserve(runs.size());
  for (auto& run : runs) {
    bool taken = false;
    for (auto at = kept.size(); at > 0 && !taken; --at) {
      auto& earlier = kept[at - 1];
      if (compare_starts(earlier, run) != 0 || earlier.number != run.number) break;
      auto& of_earlier = kinds[at - 1];
      if (!may_be_same(earlier, run) ||
          std::find(of_earlier.begin(), of_earlier.end(), run.source) != of_earlier.end())
        continue;
      merge_ends(earlier, run);
      earlier.name += (of_earlier.size() == 1 ? " with " : " and ") + run.name;
      of_earlier.push_back(run.source);
      taken = true;
      ++merged;
    }
    if (taken) continue;
    kinds.push_back({run.source});
    kept.push_back(std::move(run));
  }
  runs = std::move(kept);
  return merged;
}

/// A stretch of a stream, of a run's sequence.
struct Stretch {
  StreamUse use;
  std::uint32_t run = 0;
  int sequence = 0;
};

std::string describe(const Stretch& stretch, const std::vector<RunSeeds>& runs) {
  const auto& use = stretch.use;
  const auto from = use.first == 0 ? std::string() : fmt::format(" from number {}", use.first);
  const auto to = use.end == use.first ? std::string()
                                       : fmt::format(" to {}{}", use.end, use.end_known ? "" : " or further");
  return fmt::format("{} sequence {}{}{}", runs[stretch.run].name, stretch.sequence, from, to);
}

/// Groups of runs that begin alike; one of each goes on to the comparison of streams.
std::vector<std::uint32_t> find_repeats(const std::vector<RunSeeds>& runs, SeedReport& report) {
  std::vector<std::uint32_t> first_of_group;
  for (std::size_t at = 0; at < runs.size();) {
    auto end = at + 1;
    while (end < runs.size() && compare_starts(runs[at], runs[end]) == 0) ++end;
    first_of_group.push_back(static_cast<std::uint32_t>(at));
    if (end - at > 1) {
      std::string line = "repeat: ";
      for (auto i = at; i < end; ++i) line += (i == at ? "" : ", ") + runs[i].name;
      line += ": the same seeds in all sequences";
      for (const auto& use : runs[at].streams)
        line += fmt::format("{} {}{}", &use == runs[at].streams.data() ? ":" : ",", use.seed,
                            use.first == 0 ? std::string() : fmt::format(" from number {}", use.first));
      report.repeats.push_back(std::move(line));
      report.repeating += static_cast<std::int64_t>(end - at - 1);
    }
    at = end;
  }
  return first_of_group;
}

/// Stretches of one seed that touch each other, and those of which nobody knows.
void find_overlaps(const std::vector<RunSeeds>& runs, const std::vector<std::uint32_t>& which,
                   SeedReport& report) {
  std::vector<Stretch> stretches;
  for (const auto run : which)
    for (std::size_t i = 0; i < runs[run].streams.size(); ++i)
      if (runs[run].streams[i].seed > 0)  // else the file does not tell of that sequence
        stretches.push_back({runs[run].streams[i], run, static_cast<int>(i + 1)});
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) {
    return a.use.seed != b.use.seed ? a.use.seed < b.use.seed : a.use.first < b.use.first;
  });
  std::int64_t maybe = 0;
  for (std::size_t at = 0; at < stretches.size();) {
    auto reach = stretches[at].use.end;
    bool known = stretches[at].use.end_known;
    auto end = at + 1;
    for (; end < stretches.size() && stretches[end].use.seed == stretches[at].use.seed; ++end) {
      const auto& use = stretches[end].use;
      if (use.first != stretches[end - 1].use.first && use.first >= reach) break;
      reach = std::max(reach, use.end);
      known = known && use.end_known;
    }
    if (end - at > 1) {
      std::string line = fmt::format("overlap: seed {}: ", stretches[at].use.seed);
      for (auto i = at; i < end; ++i) line += (i == at ? "" : ", ") + describe(stretches[i], runs);
      report.overlaps.push_back(std::move(line));
    }
    if (end < stretches.size() && stretches[end].use.seed == stretches[at].use.seed && !known) ++maybe;
    at = end;
  }
  if (maybe > 0)
    report.unknown.push_back(fmt::format(
        "{} times a seed's stream is entered at different numbers, and how far the earlier run drew is not "
        "known: give the whole logs",
        maybe));
}

void say_unknown(const std::vector<RunSeeds>& runs, std::int64_t merged, SeedReport& report) {
  const auto rounded =
      std::count_if(runs.begin(), runs.end(), [](const RunSeeds& run) { return run.rounded; });
  if (rounded > 0)
    report.unknown.push_back(fmt::format(
        "{} output files hold seeds above 2^24, which their headers round: give cards or logs", rounded));
  const auto few = std::count_if(runs.begin(), runs.end(), [](const RunSeeds& run) {
    return run.source == SeedSource::card && run.streams.size() < 4;
  });
  if (few > 0)
    report.unknown.push_back(
        fmt::format("{} cards have fewer than four SEED lines: in all of them a sequence without one begins "
                    "from its own number",
                    few));
  if (merged > 0)
    report.unknown.push_back(
        fmt::format("{} files have run number and seeds of a file of another kind, and count as the same "
                    "run: give one kind of "
                    "file to be sure",
                    merged));
  report.unknown.emplace_back("that streams of different seeds never meet is not proven; none is known to");
}

}  // namespace

SeedReport compare_seeds(std::vector<RunSeeds> runs) {
  SeedReport report;
  const auto merged = put_files_together(runs);
  report.runs = static_cast<std::int64_t>(runs.size());
  const auto distinct = find_repeats(runs, report);
  find_overlaps(runs, distinct, report);
  say_unknown(runs, merged, report);
  return report;
}

}  // namespace overlay
