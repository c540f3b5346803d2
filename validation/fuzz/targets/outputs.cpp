// Output files: particle, telescope and stand-in files, their headers, and the comparison of two. The input's
// first byte says how a file is made of the rest; five more are the place and the value of a change.
#include <algorithm>

#include "fuzz.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/production/seeds.hpp"

namespace fuzz::outputs {
namespace {

using namespace overlay;

void put(std::string& bytes, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<char>(value >> (8 * i));
}

/// A particle file of one or two records, all zero but for its lengths and words that the input places: six
/// bytes each, the number of the word and its value.
std::string particles(fuzz::Input& input, bool thinned) {
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

std::string content(fuzz::Input& input, int how) {
  if (how % 3 == 0) return input.rest();
  return particles(input, how % 3 == 2);
}

void check_blocks(const std::string& bytes, const FileBlocks& blocks) {
  fuzz::require(blocks.walked <= bytes.size(), "blocks lie within the file");
  std::uint64_t before = 0;
  for (const auto& date : blocks.dates) {
    fuzz::require(date.offset >= before && date.offset + 4 <= bytes.size(),
                  "dates stand in the file, by rising offset");
    before = date.offset;
  }
  for (const auto& card : blocks.cards)
    fuzz::require(card.begin <= card.payload && card.payload <= card.end && card.end <= bytes.size(),
                  "a copy of the card lies within the file");
  for (const auto* headers : {&blocks.runs, &blocks.events})
    for (const auto& header : *headers) {
      fuzz::require(header.offset + 4 * header.words <= bytes.size(), "a header lies within the file");
      header_word(bytes, header, header.words);
    }
}

/// A change of one byte is seen unless it makes another date of a date.
void compare_changed(const std::string& bytes, std::size_t place, char value, const FileBlocks& blocks) {
  std::string other = bytes;
  char& changed = other[place % bytes.size()];
  if (changed == value) return;
  changed = value;
  const bool in_date = std::any_of(blocks.dates.begin(), blocks.dates.end(), [&](const DateWord& date) {
    return place % bytes.size() >= date.offset && place % bytes.size() < date.offset + 4;
  });
  const auto result = compare_bytes("file", bytes, other);
  if (!in_date) fuzz::require(!result.equal, "a change outside of dates is seen");
  if (!result.equal && result.first_difference)
    fuzz::require(*result.first_difference <= place % bytes.size(),
                  "the first difference is not behind the change");
  if (result.equal)
    fuzz::require(content_digest("file", bytes) == content_digest("file", other),
                  "equal files have one checksum");
  const auto shorter = bytes.substr(0, place % bytes.size());
  fuzz::require(!compare_bytes("file", bytes, shorter).equal && !compare_bytes("file", shorter, bytes).equal,
                "a file that is cut short is seen");
}

}  // namespace

FUZZ_TARGET(outputs) {
  const int how = input.byte();
  const std::size_t place = input.number(4);
  const char value = static_cast<char>(input.byte());
  const std::string bytes = content(input, how);
  const FileKind kind = kind_of(bytes, "file");
  const auto blocks = blocks_of(kind, bytes);
  check_blocks(bytes, blocks);
  const auto itself = compare_bytes("file", bytes, bytes);
  fuzz::require(itself.equal && itself.normalised.empty(), "a file equals itself, with nothing allowed for");
  if (!bytes.empty()) compare_changed(bytes, place, value, blocks);
  const auto why = why_not_whole("file", bytes, 1);
  if (why.empty() && (kind == FileKind::particle || kind == FileKind::telescope))
    fuzz::require(blocks.event_ends == 1 && blocks.walked == bytes.size(),
                  "a file as expected has its event");
  if (is_telescope_file(bytes) && eventio_gap(bytes).empty())
    fuzz::require(blocks.walked == bytes.size(),
                  "a telescope file without a gap is walked through to its end");
  if (const auto seeds = seeds_of_output(bytes))
    for (const auto& use : seeds->streams)
      fuzz::require(use.end >= use.first, "a sequence ends behind its begin");
}

}  // namespace fuzz::outputs
