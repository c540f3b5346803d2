// Checksums without dates: see the header.
#include "overlay/identity/content_digest.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "overlay/card/card.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/identity/output_blocks.hpp"
#include "support/checksum.hpp"

namespace overlay {
namespace {

/// A part of the file that counts as other bytes: `instead`.
struct Replaced {
  std::uint64_t begin = 0, end = 0;
  std::string instead;
};

void add_ranges(support::Sha256& sum, std::string_view bytes, const std::vector<Replaced>& replaced) {
  std::uint64_t at = 0;
  for (const Replaced& part : replaced) {
    if (part.begin < at || part.end > bytes.size()) continue;
    sum.update(bytes.data() + at, part.begin - at);
    sum.update(part.instead.data(), part.instead.size());
    at = part.end;
  }
  sum.update(bytes.data() + at, bytes.size() - at);
}

bool names_output(std::string_view line) {
  const Card card(line);
  if (card.lines().size() != 1) return false;
  const CardLine& entry = card.lines().front();
  return entry.keyword == "TELFIL" ||
         (entry.keyword == "IACT" && upper_case(card_word(entry.rest, 1)) == "TELFIL");
}

/// The lines of an eventio object of the card: a count of 4 bytes, and each line behind its length of 2
/// bytes. Empty, with `whole` false, where it is not of that form.
std::string lines_that_count(std::string_view payload, bool& whole) {
  whole = false;
  std::uint32_t count = 0;
  if (payload.size() < 4) return {};
  std::memcpy(&count, payload.data(), 4);
  std::string text;
  std::size_t at = 4;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint16_t length = 0;
    if (payload.size() - at < 2) return {};
    std::memcpy(&length, payload.data() + at, 2);
    at += 2;
    if (payload.size() - at < length) return {};
    const std::string_view line = payload.substr(at, length);
    if (!names_output(line)) text.append(line).append("\n");
    at += length;
  }
  whole = true;
  return text;
}

/// The copies of the card, whose length changes with the name of the output.
std::vector<Replaced> card_copies(std::string_view bytes, const FileBlocks& blocks) {
  std::vector<Replaced> copies;
  for (const CardCopy& copy : blocks.cards) {
    const std::string_view payload = bytes.substr(copy.payload, copy.end - copy.payload);
    if (is_standin_file(bytes)) {
      if (names_output(payload.substr(0, payload.find('\0')))) copies.push_back({copy.begin, copy.end, ""});
      continue;
    }
    bool whole = false;
    std::string text = lines_that_count(payload, whole);
    if (whole) copies.push_back({copy.begin, copy.end, std::move(text)});
  }
  return copies;
}

/// Dates and copies of the card, by rising offset; a run's header stands before its card.
std::vector<Replaced> replaced_parts(std::string_view bytes, const FileBlocks& blocks) {
  std::vector<Replaced> parts = card_copies(bytes, blocks), merged;
  auto copy = parts.begin();
  for (const DateWord& word : blocks.dates) {
    for (; copy != parts.end() && copy->begin < word.offset; ++copy) merged.push_back(std::move(*copy));
    if (date_at(bytes, word.offset) != 0)
      merged.push_back({word.offset, word.offset + 4, std::string(4, '\0')});
  }
  for (; copy != parts.end(); ++copy) merged.push_back(std::move(*copy));
  return merged;
}

void add_log(support::Sha256& sum, std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = bytes.find('\n', at);
    const std::string_view line = bytes.substr(at, end == std::string_view::npos ? end : end - at + 1);
    const std::string counted = is_time_line(line) ? without_digits(line) : std::string(line);
    sum.update(counted.data(), counted.size());
    at += line.size();
  }
}

}  // namespace

std::string content_digest(const std::string& name, std::string_view bytes) {
  support::Sha256 sum;
  const FileKind kind = kind_of(bytes, name);
  if (kind == FileKind::log)
    add_log(sum, bytes);
  else
    add_ranges(sum, bytes, replaced_parts(bytes, blocks_of(kind, bytes)));
  return sum.hexadecimal();
}

}  // namespace overlay
