// The outputs of a whole run: see the header.
#include "overlay/production/output_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "overlay/card/card.hpp"
#include "overlay/identity/file_content.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/identity/output_blocks.hpp"
#include "overlay/identity/output_files.hpp"
#include "support/error.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kRunNumber = 2;   // word of RUNH
constexpr std::uint64_t kSequences = 13;  // word of EVTH: how many sequences follow
constexpr double kMillion = 1e6;

/// Words 14 on of an event's header: for each sequence its seed, the numbers drawn so far modulo 10^6, and
/// their millions.
std::string wrong_start(std::string_view bytes, const HeaderBlock& header, const PlannedRun& run) {
  const float count = header_word(bytes, header, kSequences);
  if (!(count >= static_cast<float>(run.starts.size())))  // nor where it is no number
    return fmt::format("says that {:.0f} sequences were seeded; the plan has {}", count, run.starts.size());
  for (std::size_t i = 0; i < run.starts.size(); ++i) {
    const SequenceStart& planned = run.starts[i];
    const std::uint64_t at = kSequences + 1 + 3 * i;
    const double calls = static_cast<double>(planned.calls) + 1e9 * static_cast<double>(planned.billions);
    // The header's floats hold what they can hold: of the millions 24 bits.
    const auto millions = static_cast<std::int64_t>(calls / kMillion);
    const std::array<float, 3> wanted{static_cast<float>(planned.seed),
                                      static_cast<float>(calls - kMillion * static_cast<double>(millions)),
                                      static_cast<float>(millions)};
    // The first sequence may have drawn the primary before the header is written, a few numbers at most.
    constexpr float kDrawnBefore = 1000;
    const float seed = header_word(bytes, header, at), drawn = header_word(bytes, header, at + 1),
                begun = header_word(bytes, header, at + 2);
    const bool start = begun == wanted[2] && drawn >= wanted[1] && drawn <= wanted[1] + kDrawnBefore;
    if (seed != wanted[0] || !start)
      return fmt::format(
          "begins sequence {} with seed {:.0f} after {:.0f} numbers; the plan has seed {} after {:.0f}",
          i + 1, seed, kMillion * static_cast<double>(begun) + static_cast<double>(drawn), planned.seed,
          calls);
  }
  return {};
}

/// Why the headers of a file are not those of the planned run; empty where they are.
std::string wrong_headers(std::string_view bytes, const FileBlocks& blocks, const PlannedRun& run) {
  for (const HeaderBlock& header : blocks.runs)
    if (header_word(bytes, header, kRunNumber) != static_cast<float>(run.number))
      return fmt::format("is of run {:.0f}, not of run {}; the plan has run {}",
                         header_word(bytes, header, kRunNumber), run.number, run.number);
  return blocks.events.empty() ? std::string() : wrong_start(bytes, blocks.events.front(), run);
}

std::string check_file(const std::string& name, const fs::path& path, long showers, const PlannedRun& run) {
  const FileContent content(path, name, path.parent_path());
  const std::string_view bytes = content.bytes();
  if (std::string why = why_not_whole(name, bytes, showers); !why.empty()) return why;
  if (is_telescope_file(bytes))
    if (const std::string gap = eventio_gap(bytes); !gap.empty()) return fmt::format("is not whole: {}", gap);
  return wrong_headers(bytes, blocks_of(kind_of(bytes, name), bytes), run);
}

/// The highest number behind one of these texts in a log.
long highest_in_log(const fs::path& log) {
  std::ifstream in(log);
  long highest = 0;
  for (std::string line; std::getline(in, line);)
    for (const std::string_view mark : {" SHOWER NO ", " EVENT "}) {
      const std::size_t at = line.find(mark);
      if (at == std::string::npos || line.find("END OF") != std::string::npos) continue;
      highest =
          std::max(highest, card_integer(card_word(std::string_view(line).substr(at + mark.size()), 1), 0));
    }
  return highest;
}

}  // namespace

std::vector<std::string> check_outputs(const fs::path& folder, long showers,
                                       const std::vector<std::string>& named, const PlannedRun& run) {
  std::vector<std::string> problems;
  const auto files = output_files(folder);
  std::vector<std::string> wanted = named;
  if (const auto log = files.find("log"); log != files.end())
    for (std::string& name : outputs_named(MappedFile(log->second).bytes()))
      wanted.push_back(std::move(name));
  for (const std::string& name : wanted)
    if (!is_written(name, files)) problems.push_back(fmt::format("{} is missing", name));
  if (files.size() <= files.count("log")) problems.emplace_back("nothing but a log was written");
  for (const auto& [name, path] : files) {
    try {
      if (const std::string why = check_file(name, path, showers, run); !why.empty())
        problems.push_back(fmt::format("{} {}", name, why));
      else if (fs::file_size(path) == 0 && std::find(wanted.begin(), wanted.end(), name) != wanted.end())
        problems.push_back(fmt::format("{} is empty", name));
    } catch (const support::Error& problem) {
      problems.emplace_back(problem.what());
    }
  }
  return problems;
}

long last_begun_shower(const fs::path& folder) {
  long highest = highest_in_log(folder / "log");
  for (const auto& [name, path] : output_files(folder)) {
    const MappedFile content(path);
    const FileBlocks blocks = blocks_of(kind_of(content.bytes(), name), content.bytes());
    highest = std::max(highest, static_cast<long>(blocks.event_headers));
  }
  return highest;
}

}  // namespace overlay
