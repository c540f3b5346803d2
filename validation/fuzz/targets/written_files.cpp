// What programs write and what they leave: outputs, logs, profiles of CPU time, records of productions and
// proofs.
#include <algorithm>

#include "fuzz.hpp"
#include "overlay/attribution/attribution.hpp"
#include "overlay/build/cherenkov_stage.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/production/run.hpp"
#include "overlay/production/seeds.hpp"
#include "overlay/run/runner.hpp"
#include "support/files.hpp"

namespace fuzz {
namespace {

using namespace overlay;

/// A change of one byte is seen, unless it stands where files may differ.
void compare_changed(const char* name, const std::string& bytes, std::size_t place, char value,
                     bool may_differ) {
  std::string other = bytes;
  other[place] = value;
  const auto result = compare_bytes(name, bytes, other);
  require(may_differ || other == bytes || !result.equal, "a change is seen", other);
  if (result.equal)
    require(content_digest(name, bytes) == content_digest(name, other), "equal files have one checksum",
            other);
  else
    require(result.first_difference.value_or(0) <= bytes.size(), "a difference lies within the file", other);
}

void check_starts(const std::optional<RunSeeds>& seeds) {
  if (!seeds) return;
  for (const auto& use : seeds->streams) require(use.end >= use.first, "a sequence ends behind its begin");
}

}  // namespace
}  // namespace fuzz

// Output files: particle, telescope and stand-in files, their headers, and the comparison of two. The
// input's first byte says how a file is made of the rest; five more are the place and the value of a
// change.
namespace fuzz::outputs {
namespace {

using namespace overlay;

void put(std::string& bytes, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<char>(value >> (8 * i));
}

/// A particle file of one or two records, all zero but for its lengths and words that the input places: six
/// bytes each, the number of the word and its value.
std::string particles(Input& input, bool thinned) {
  const std::size_t length = 21 * 4 * (thinned ? 312 : 273), records = 1 + input.byte() % 2;
  std::string bytes(records * (length + 8), '\0');
  for (std::size_t record = 0; record < records; ++record) {
    put(bytes, record * (length + 8), static_cast<std::uint32_t>(length));
    put(bytes, record * (length + 8) + 4 + length, static_cast<std::uint32_t>(length));
  }
  while (!input.empty()) {
    const std::size_t word = input.number(2);
    put(bytes, 4 * word, static_cast<std::uint32_t>(input.number(4)));
  }
  return bytes;
}

void check_blocks(const std::string& bytes, const FileBlocks& blocks) {
  require(blocks.walked <= bytes.size(), "blocks lie within the file");
  for (const auto& [date, header] : date_places(blocks))
    require(date + 4 <= bytes.size(), "dates stand in the file");
  for (const auto& card : blocks.cards)
    require(card.begin <= card.payload && card.payload <= card.end && card.end <= bytes.size(),
            "a copy of the card lies within the file");
  for (const auto* headers : {&blocks.runs, &blocks.events})
    for (const auto& header : *headers) {
      require(header.end <= bytes.size(), "a header lies within the file");
      header_word(bytes, header, (header.end - header.payload) / 4);
    }
}

}  // namespace

FUZZ_TARGET(outputs) {
  const int how = input.byte();
  const std::size_t place = input.number(4);
  const char value = static_cast<char>(input.byte());
  const std::string bytes = how % 3 == 0 ? input.rest() : particles(input, how % 3 == 2);
  const std::string kind = kind_of(bytes, "file");
  const auto blocks = blocks_of(bytes);
  check_blocks(bytes, blocks);
  const auto itself = compare_bytes("file", bytes, bytes);
  require(itself.equal && itself.normalised.empty(), "a file equals itself, with nothing allowed for");
  if (!bytes.empty()) {
    const std::size_t at = place % bytes.size();
    const bool in_date = std::ranges::any_of(
        date_places(blocks), [&](const auto& date) { return at >= date.first && at < date.first + 4; });
    compare_changed("file", bytes, at, value, in_date);
    const auto shorter = bytes.substr(0, at);
    require(!compare_bytes("file", bytes, shorter).equal && !compare_bytes("file", shorter, bytes).equal,
            "a file that is cut short is seen");
  }
  const auto why = why_not_whole(bytes, 1);
  if (why.empty() && (kind == "particle" || kind == "telescope"))
    require(blocks.event_ends == 1 && blocks.walked == bytes.size(), "a file as expected has its event");
  if (form_of(bytes) == FileForm::telescope && eventio_gap(bytes).empty())
    require(blocks.walked == bytes.size(), "a telescope file without a gap is walked through to its end");
  check_starts(seeds_of_output(bytes));
}

}  // namespace fuzz::outputs

// A run's log and standard error: counters, seeds, summaries, and the comparison of two logs. The input's
// first five bytes are the place and the value of a change; the rest is the log.
namespace fuzz::log {
namespace {

using namespace overlay;

/// The line that holds a byte.
std::string_view line_at(std::string_view text, std::size_t at) {
  const auto before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

}  // namespace

FUZZ_TARGET(log) {
  const std::size_t place = input.number(4);
  const char value = static_cast<char>(input.byte());
  const std::string log = input.rest();
  const std::size_t at = log.empty() ? 0 : place % log.size();
  const bool same_lines = !log.empty() && log[at] != '\n' && value != '\n';
  if (same_lines && kind_of(log, "log") == "log") {
    require(compare_bytes("log", log, log).equal, "a log equals itself");
    if (kind_of(std::string(log).replace(at, 1, 1, value), "log") == "log")
      compare_changed("log", log, at, value, is_time_line(line_at(log, at)));
  }
  check_starts(seeds_of_log(log));
  for (const char* who : {"ranmar: ", "cherenkov: "})
    if (const Summary summary = part_said(log, who, "draws").values; !summary.empty()) {
      number_in(summary, "draws");
      require(summary.contains("draws"), "a summary has what was asked for");
    }
  for (const auto& row : parse_gprof(log))
    require(row.at("share") >= 0 && row["share"] <= 1, "a routine has a share of the profile's time");
}

}  // namespace fuzz::log

// What profiling reads: the sampler's file, programs' symbols, preprocessed sources. The input's first byte
// says which.
namespace fuzz::profile_data {

using namespace overlay;

FUZZ_TARGET(profile_data) {
  const int kind = input.byte();
  const std::string text = input.rest();
  switch (kind) {
    case 'c':
      refusal([&] {
        const auto samples = read_cpu_samples(scratch_file("data", text));
        std::uint64_t counted = 0;
        for (const auto& [object, counts] : samples.counts)
          for (const auto& [address, count] : counts) counted += count;
        require(counted + samples.lost + 2 >= samples.samples, "samples that were read add up");
      });
      return;
    case 'e':
      for (const auto& [address, frames] : parse_addr2line(text))
        for (const Frame& frame : frames) demangled(plain_name(frame.function));
      return;
    default:
      return;
  }
}

}  // namespace fuzz::profile_data

// Files that productions and proofs leave, and that later commands read without a checksum: attempts, the
// ledger of seeds, proofs. The input's first byte says which; the rest is the file.
namespace fuzz::records {
namespace {

namespace fs = std::filesystem;

void attempts(const std::string& text) {
  const fs::path folder = scratch() / overlay::attempts_folder(1);
  fs::create_directories(folder / "running");
  scratch_file((overlay::attempts_folder(1) / "one.json").string(), text);
  scratch_file((overlay::attempts_folder(1) / "running" / "started.json").string(), text);
  const auto found = overlay::attempts_at(scratch(), 1);
  require(found.size() == 2, "each attempt is found, whatever its file says");
  require(overlay::poisoned(1, found).empty(), "one failed attempt does not poison a run");
  overlay::note_vanished(scratch(), 1);
  fs::remove_all(folder);
}

void ledger(const std::string& text) {
  const auto file = scratch_file("seeds.ledger", text);
  std::int64_t first = 0;
  overlay::LedgerRuns runs{3};
  if (const auto refused = refusal([&] { first = overlay::take_places(file, 3, "one\ttwo\nthree", runs); })) {
    require(support::read_file(file) == text, "a refused ledger stays as it is", *refused);
    return;
  }
  require(support::read_file(file).starts_with(text.substr(0, text.rfind('\n') + 1)),
          "a ledger keeps its whole lines");
  std::int64_t second = 0;
  runs = {2};
  if (refusal([&] { second = overlay::take_places(file, 2, "next", runs); })) return;
  require(first >= 0 && second == first + 3, "places that were taken are not handed out again");
}

void proof(const std::string& text) {
  overlay::Proof conditions;
  conditions.stage = "stage", conditions.sources = "sources", conditions.options = {"IACT"};
  conditions.compiler = "compiler", conditions.flags = "-O2";
  const auto read = overlay::read_proof(scratch_file("proof.json", text), conditions);
  if (!read) return;
  const auto written = overlay::proof_text(*read);
  const auto again = overlay::read_proof(scratch_file("proof.json", written), conditions);
  require(again && overlay::proof_text(*again) == written, "a proof that was written is read as the same",
          written);
}

}  // namespace

FUZZ_TARGET(records) {
  const int kind = input.byte();
  const std::string text = input.rest();
  switch (kind) {
    case 'a':
      return attempts(text);
    case 'l':
      return ledger(text);
    default:
      return proof(text);
  }
}

}  // namespace fuzz::records
