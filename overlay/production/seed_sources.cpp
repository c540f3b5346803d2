// Seeds of runs from cards, logs, output files and plans.

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "overlay/card/card.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/production/seeds.hpp"
#include "overlay/run/runner.hpp"

namespace overlay {
namespace {

/// The value of a keyword in a line of the card that a log repeats.
std::optional<std::int64_t> echoed(const std::string& line, const std::string& keyword) {
  const auto mark = line.find("CARD:");
  std::istringstream words(mark == std::string::npos ? line : line.substr(mark + 5));
  std::string first;
  std::int64_t value = -1;
  return words >> first >> value && first == keyword && value >= 0 ? std::optional(value) : std::nullopt;
}

/// Starts as the card in a telescope file has them: exact, where headers hold 24 bits.
void take_exact_starts(RunSeeds& run, std::string_view bytes, const std::vector<BlockPlace>& copies) {
  std::string text;
  for (const auto& copy : copies)
    text += std::string(bytes.substr(copy.payload, copy.end - copy.payload)) + "\n";
  // Texts of eventio have their lengths between them: a card's lines begin where SEED does.
  std::string lines;
  for (auto at = text.find("SEED "); at != std::string::npos; at = text.find("SEED ", at + 1))
    lines += text.substr(at, text.find_first_of("\n\r", at) - at) + "\n";
  const auto card = seeds_of_card(lines);
  if (!card || card->streams.size() != run.streams.size()) return;
  const auto& exact = card->streams;
  for (std::size_t i = 0; i < exact.size(); ++i)
    if (static_cast<float>(exact[i].seed) != static_cast<float>(run.streams[i].seed)) return;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    run.streams[i].seed = exact[i].seed;
    run.streams[i].first = exact[i].first;
    run.streams[i].end = std::max(run.streams[i].end, exact[i].first);
  }
  run.rounded = false;
}

std::vector<RunSeeds> seeds_of_plan(const fs::path& folder) {
  const auto plan = read_plan(folder);
  std::vector<RunSeeds> runs;
  runs.reserve(static_cast<std::size_t>(plan.run_count()));
  for (std::int64_t index = 0; index < plan.run_count(); ++index) {
    const auto number = plan.run_at(index);
    RunSeeds run;
    run.name = fmt::format("{}, run {}", folder.string(), number);
    run.source = SeedSource::plan;
    run.number = number;
    for (const auto& start : planned_run(plan, number).seeds) {
      const auto first = skipped_numbers(start);
      const auto drawn = static_cast<std::uint64_t>(plan.offsets() ? plan.stride : 0);  // at most
      run.streams.push_back({start.seed, first, first + drawn, plan.offsets()});
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace

std::vector<StreamUse> starts_in_header(std::string_view bytes, const BlockPlace& event) {
  constexpr std::uint64_t kCount = 13, kFirst = 14;
  constexpr float kMost = 10;  // sequences that a header has room for
  const auto word = [&](std::uint64_t number) {
    const float value = header_word(bytes, event, number);
    return std::abs(value) < 1e12F ? value : 0.F;  // not so in a header without words, or of no numbers
  };
  std::vector<StreamUse> streams;
  const auto count = static_cast<std::uint64_t>(std::clamp(word(kCount), 0.F, kMost));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto at = kFirst + 3 * i;
    const auto drawn = static_cast<std::uint64_t>(
        std::max(0., static_cast<double>(word(at + 1)) + 1e6 * static_cast<double>(word(at + 2))));
    streams.push_back({static_cast<std::int64_t>(word(at)), drawn, drawn, false});
  }
  return streams;
}

std::optional<RunSeeds> seeds_of_card(std::string_view text) {
  const Card card(text);
  static const std::set<std::string> kKnown{"SEED", "RUNNR", "NSHOW", "PRMPAR", "ERANGE", "EVTNR"};
  if (std::none_of(card.lines().begin(), card.lines().end(),
                   [](const CardLine& line) { return kKnown.contains(line.keyword); }))
    return std::nullopt;
  RunSeeds run;
  run.number = card.run_number();
  for (const auto& line : card.lines()) {
    if (line.keyword != "SEED") continue;
    const long seed = card_integer(card_word(line.rest, 1), kSeedNotTold),
               calls = card_integer(card_word(line.rest, 2), 0),
               billions = card_integer(card_word(line.rest, 3), 0);
    const bool fits = std::in_range<std::int32_t>(seed) && std::in_range<std::int32_t>(calls) &&
                      std::in_range<std::int32_t>(billions);
    const auto first = fits ? skipped_numbers({seed, calls, billions}) : 0;
    run.streams.push_back({fits ? seed : kSeedNotTold, first, first, false});
  }
  // CORSIKA's defaults: each sequence's seed is its number.
  constexpr int kUsual = 4;
  if (run.streams.empty())
    for (int sequence = 1; sequence <= kUsual; ++sequence) run.streams.push_back({sequence, 0, 0, false});
  return run;
}

std::optional<RunSeeds> seeds_of_log(std::string_view text) {
  RunSeeds run;
  run.source = SeedSource::log;
  bool in_table = false, ended = false, last_event = false;
  std::optional<std::int64_t> showers;
  std::int64_t ends = 0;  // of events, where the log does not number them
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (const auto counters = counters_of(line, in_table)) {
      const auto [sequence, seed, drawn] = *counters;
      const auto count = static_cast<std::size_t>(sequence);
      if (run.streams.size() < count) run.streams.resize(count);
      auto& use = run.streams[count - 1];
      const auto at = static_cast<std::uint64_t>(std::max<std::int64_t>(0, drawn));
      if (use.seed == kSeedNotTold)
        use = {seed, at, at, false};
      else if (use.seed == seed)
        use.end = std::max(use.end, at);
      continue;
    }
    if (const auto number = echoed(line, "RUNNR")) run.number = number;
    if (const auto number = echoed(line, "NSHOW")) showers = number;
    if (line.find("END OF RUN") != std::string::npos) ended = true;
    if (line.find("GENERATOR AT END OF EVENT") != std::string::npos)
      last_event = showers && card_integer(card_word(line.substr(line.rfind(':') + 1), 1), -1) == *showers;
    if (line.find("GENERATOR AT THE END OF THE EVENT") != std::string::npos) last_event = ++ends == showers;
  }
  if (run.streams.empty()) return std::nullopt;
  for (auto& use : run.streams) use.end_known = ended && last_event;
  return run;
}

std::optional<RunSeeds> seeds_of_output(std::string_view bytes) {
  constexpr std::uint64_t kRunNumberWord = 2;
  constexpr float kMostRunNumber = 1e9F;  // of CORSIKA's, with NRREXT
  const auto blocks = blocks_of(bytes);
  if (blocks.events.empty()) return std::nullopt;
  RunSeeds run;
  run.source = form_of(bytes) == FileForm::telescope ? SeedSource::light : SeedSource::particles;
  run.streams = starts_in_header(bytes, blocks.events.front());
  for (const auto& event : blocks.events) {
    const auto streams = starts_in_header(bytes, event);
    for (std::size_t i = 0; i < std::min(streams.size(), run.streams.size()); ++i)
      if (streams[i].seed == run.streams[i].seed)
        run.streams[i].end = std::max(run.streams[i].end, streams[i].first);
  }
  if (run.streams.empty()) return std::nullopt;
  if (!blocks.runs.empty()) {
    const float number = header_word(bytes, blocks.runs.front(), kRunNumberWord);
    if (number >= 0 && number < kMostRunNumber) run.number = static_cast<std::int64_t>(number);
  }
  run.rounded = std::any_of(run.streams.begin(), run.streams.end(),
                            [](const StreamUse& use) { return std::abs(use.seed) >= kSeedLimit; });
  if (!blocks.cards.empty()) take_exact_starts(run, bytes, blocks.cards);
  return run;
}

std::vector<RunSeeds> read_run_seeds(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path / "production.toml", error)) return seeds_of_plan(path);
  if (path.filename() == "production.toml") return seeds_of_plan(path.parent_path());
  const support::TemporaryFolder scratch("overlay-seeds");
  const FileContent content(path, path.filename().string(), scratch.path());
  const auto bytes = content.bytes();
  auto run = seeds_of_output(bytes);
  if (!run && form_of(bytes) != FileForm::standin) run = seeds_of_log(bytes);
  if (!run && form_of(bytes) != FileForm::standin) run = seeds_of_card(bytes);
  if (!run) return {};
  run->name = path.string();
  return {std::move(*run)};
}

}  // namespace overlay
