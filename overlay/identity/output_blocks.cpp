// The blocks of output files: see the header. Every offset is checked against the end of the file before it
// is used.
#include "overlay/identity/output_blocks.hpp"

#include <bit>
#include <cstring>

namespace overlay {
namespace {

constexpr std::uint64_t kSubBlocks = 21;
constexpr std::uint32_t kSync = 0xD41F8A37;  // eventio, in this machine's order
constexpr std::uint32_t kStandinMark = 0x53544E44;

/// Types of the objects of a telescope file.
constexpr std::uint32_t kRunHeader = 1200, kEventHeader = 1202, kLight = 1204, kEventEnd = 1209,
                        kRunEnd = 1210, kCard = 1212, kSplitLight = 1213;

/// The same for a block of the stand-in's file; 0 where no reader of events needs it.
std::uint32_t type_of_standin(std::uint32_t type) {
  static const std::map<std::uint32_t, std::uint32_t> kTypes{
      {1, kCard}, {2, kRunHeader}, {3, kEventHeader}, {6, kEventEnd}, {7, kRunEnd}};
  const auto found = kTypes.find(type);
  return found == kTypes.end() ? 0 : found->second;
}

/// Little-endian, as every machine that CORSIKA's Fortran runs on today writes it. 0 beyond the end.
std::uint32_t word(std::string_view bytes, std::uint64_t offset) {
  std::uint32_t value = 0;
  if (bytes.size() >= 4 && offset <= bytes.size() - 4) std::memcpy(&value, bytes.data() + offset, 4);
  return value;
}

bool named(std::string_view bytes, std::uint64_t offset, const char* name) {
  return bytes.size() >= 4 && offset <= bytes.size() - 4 && std::memcmp(bytes.data() + offset, name, 4) == 0;
}

bool is_record_length(std::uint32_t length) {
  return length == kSubBlocks * 273 * 4 || length == kSubBlocks * 312 * 4;
}

/// The same by the name at the start of CORSIKA's own blocks.
std::uint32_t type_of_name(std::string_view bytes, std::uint64_t offset) {
  if (named(bytes, offset, "RUNH")) return kRunHeader;
  if (named(bytes, offset, "EVTH")) return kEventHeader;
  if (named(bytes, offset, "EVTE")) return kEventEnd;
  return named(bytes, offset, "RUNE") ? kRunEnd : 0;
}

/// `words`: whether CORSIKA's are in the block; the stand-in's has none. `light`: whether there was some in
/// this event.
void add_block(FileBlocks& found, std::uint32_t type, const BlockPlace& block, bool words, bool& light) {
  if (type == kCard) found.cards.push_back(block);
  if (type == kRunHeader) {
    ++found.run_headers;
    if (words) found.runs.push_back(block);
  } else if (type == kEventHeader) {
    ++found.event_headers;
    if (words) found.events.push_back(block);
    light = false;
  } else if (type == kEventEnd) {
    ++found.event_ends;
    if (!light) ++found.events_without_light;
    light = false;
  }
  if (type == kLight || type == kSplitLight) light = true;
  if (type == kRunEnd) ++found.run_ends;
}

/// An eventio object. `mark`: bytes of its sync word, which inner objects do not have. Its end may lie behind
/// the end of the file.
BlockPlace object_at(std::string_view bytes, std::uint64_t begin, std::uint64_t mark) {
  const std::uint64_t at = begin + mark;
  std::uint64_t payload = at + 12, size = word(bytes, at + 8) & 0x3FFFFFFF;
  if ((word(bytes, at) & 0x20000) != 0) {  // 12 more bits of length
    size |= static_cast<std::uint64_t>(word(bytes, at + 12) & 0xFFF) << 30;
    payload += 4;
  }
  return {begin, payload, payload + size};
}

/// Why the objects that fill `begin` to `end` do not; empty where they do. Objects within them are looked at
/// too, as deep as the IACT package nests them. Outermost ones, of `depth` 0, have a sync word.
std::string gap_within(std::string_view bytes, std::uint64_t begin, std::uint64_t end, int depth) {
  constexpr int kDeepest = 9;
  const std::uint64_t mark = depth == 0 ? 4 : 0;
  for (std::uint64_t at = begin; at < end;) {
    if (depth == 0 && (end - at < 16 || word(bytes, at) != kSync))
      return "no object of a telescope file begins at byte " + std::to_string(at);
    if (end - at < 12)
      return "an object begins at byte " + std::to_string(at) + " and has no room for its header";
    const BlockPlace object = object_at(bytes, at, mark);
    if (object.end > end)
      return "the object at byte " + std::to_string(at) + " ends behind " +
             (depth == 0 ? "the end of the file" : "the one that holds it");
    const bool only_objects = (word(bytes, at + mark + 8) & 0x40000000) != 0;
    if (only_objects && depth < kDeepest) {
      const std::string why = gap_within(bytes, object.payload, object.end, depth + 1);
      if (!why.empty()) return why;
    }
    at = object.end;
  }
  return {};
}

/// The objects of a telescope file, or the blocks of the stand-in's, which have the same form.
FileBlocks object_blocks(std::string_view bytes) {
  const std::uint32_t mark = word(bytes, 0);
  FileBlocks found;
  bool light = false;
  for (std::uint64_t at = 0; bytes.size() - at >= 16 && word(bytes, at) == mark; at = found.walked) {
    BlockPlace block = object_at(bytes, at, 4);
    if (block.end > bytes.size()) break;
    std::uint32_t type = word(bytes, at + 4) & 0xFFFF;
    if (mark != kSync) type = type_of_standin(type);
    const bool words = mark == kSync && (type == kRunHeader || type == kEventHeader);
    if (words) {
      block.payload += 4;  // behind their count
      if (block.payload + 4 > block.end || type_of_name(bytes, block.payload) != type) type = 0;
    }
    add_block(found, type, block, words, light);
    found.walked = block.end;
  }
  return found;
}

FileBlocks particle_blocks(std::string_view bytes) {
  FileBlocks found;
  std::uint64_t at = 0;
  bool light = true;
  while (bytes.size() - at >= 8) {
    const std::uint32_t length = word(bytes, at);
    if (!is_record_length(length) || length > bytes.size() - at - 8 || word(bytes, at + 4 + length) != length)
      break;
    const std::uint64_t step = length / kSubBlocks;
    for (std::uint64_t block = at + 4; block < at + 4 + length; block += step)
      add_block(found, type_of_name(bytes, block), {block, block, block + step}, true, light);
    at += 8 + length;
    found.walked = at;
  }
  return found;
}

}  // namespace

FileForm form_of(std::string_view bytes) {
  if (bytes.size() >= 16 && word(bytes, 0) == kSync) return FileForm::telescope;
  if (bytes.size() >= 16 && word(bytes, 0) == kStandinMark) return FileForm::standin;
  return is_record_length(word(bytes, 0)) && named(bytes, 4, "RUNH") ? FileForm::particle : FileForm::other;
}

FileBlocks blocks_of(std::string_view bytes) {
  const FileForm form = form_of(bytes);
  if (form == FileForm::other) return {};
  FileBlocks found = form == FileForm::particle ? particle_blocks(bytes) : object_blocks(bytes);
  if (form != FileForm::telescope) found.events_without_light = 0;
  return found;
}

std::string eventio_gap(std::string_view bytes) { return gap_within(bytes, 0, bytes.size(), 0); }

float header_word(std::string_view bytes, const BlockPlace& header, std::uint64_t number) {
  if (number < 1 || number > (header.end - header.payload) / 4) return 0;
  return std::bit_cast<float>(word(bytes, header.payload + 4 * (number - 1)));
}

std::map<std::uint64_t, const char*> date_places(const FileBlocks& blocks) {
  std::map<std::uint64_t, const char*> places;
  const auto add = [&](const std::vector<BlockPlace>& headers, std::uint64_t number, const char* name) {
    for (const BlockPlace& header : headers)
      if (header.payload + 4 * number <= header.end) places[header.payload + 4 * (number - 1)] = name;
  };
  add(blocks.runs, 3, "RUNH");  // words are counted from 1, as CORSIKA's guide does
  add(blocks.events, 45, "EVTH");
  return places;
}

int date_at(std::string_view bytes, std::uint64_t offset) {
  if (bytes.size() < 4 || offset > bytes.size() - 4) return 0;
  const float value = std::bit_cast<float>(word(bytes, offset));
  if (!(value >= 101.0f && value <= 991231.0f)) return 0;
  const int date = static_cast<int>(value);
  const int month = date / 100 % 100, day = date % 100;
  if (static_cast<float>(date) != value || month < 1 || month > 12 || day < 1 || day > 31) return 0;
  return date;
}

}  // namespace overlay
