// The blocks of output files: see the header. Every offset is checked against the end of the file before it
// is used.
#include "overlay/identity/output_blocks.hpp"

#include <bit>
#include <cstring>

namespace overlay {
namespace {

constexpr std::uint64_t kSubBlocks = 21;
constexpr std::uint64_t kRunDateWord = 3, kEventDateWord = 45;  // counted from 1, as CORSIKA's guide does
constexpr std::uint32_t kSync = 0xD41F8A37;                     // eventio, in this machine's order
constexpr std::uint32_t kStandinMark = 0x53544E44;

enum EventioType : std::uint32_t {
  kRunHeader = 1200,
  kEventHeader = 1202,
  kArrayLight = 1204,
  kEventEnd = 1209,
  kRunEnd = 1210,
  kSplitLight = 1213
};
enum StandinType : std::uint32_t {
  kStandinRun = 2,
  kStandinEvent = 3,
  kStandinEventEnd = 6,
  kStandinRunEnd = 7
};

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

/// The date of a header block, where the block of `length` bytes at `offset` is that long.
void add_date(FileBlocks& found, std::uint64_t offset, std::uint64_t length, std::uint64_t date_word,
              const char* block) {
  if (4 * date_word <= length) found.dates.push_back({offset + 4 * (date_word - 1), block});
}

void count_eventio(FileBlocks& found, std::string_view bytes, std::uint32_t type, std::uint64_t payload,
                   std::uint64_t length, bool& light) {
  const std::uint64_t words = payload + 4, size = length < 4 ? 0 : length - 4;  // behind the count
  switch (type) {
    case kRunHeader:
      if (size < 4 || !named(bytes, words, "RUNH")) break;
      ++found.run_headers;
      add_date(found, words, size, kRunDateWord, "RUNH");
      break;
    case kEventHeader:
      if (size < 4 || !named(bytes, words, "EVTH")) break;
      ++found.event_headers;
      add_date(found, words, size, kEventDateWord, "EVTH");
      light = false;
      break;
    case kArrayLight:
    case kSplitLight:
      light = true;
      break;
    case kEventEnd:
      ++found.event_ends;
      if (!light) ++found.events_without_light;
      light = false;
      break;
    case kRunEnd:
      ++found.run_ends;
      break;
    default:
      break;
  }
}

}  // namespace

bool is_particle_file(std::string_view bytes) {
  return bytes.size() >= 8 && is_record_length(word(bytes, 0)) && named(bytes, 4, "RUNH");
}

bool is_telescope_file(std::string_view bytes) { return bytes.size() >= 16 && word(bytes, 0) == kSync; }

bool is_standin_file(std::string_view bytes) { return bytes.size() >= 16 && word(bytes, 0) == kStandinMark; }

FileBlocks particle_blocks(std::string_view bytes) {
  FileBlocks found;
  std::uint64_t at = 0;
  while (bytes.size() - at >= 8) {
    const std::uint32_t length = word(bytes, at);
    if (!is_record_length(length) || length > bytes.size() - at - 8 || word(bytes, at + 4 + length) != length)
      break;
    const std::uint64_t step = length / kSubBlocks;
    for (std::uint64_t block = at + 4; block < at + 4 + length; block += step) {
      if (named(bytes, block, "RUNH")) {
        ++found.run_headers;
        add_date(found, block, step, kRunDateWord, "RUNH");
      } else if (named(bytes, block, "EVTH")) {
        ++found.event_headers;
        add_date(found, block, step, kEventDateWord, "EVTH");
      } else if (named(bytes, block, "EVTE")) {
        ++found.event_ends;
      } else if (named(bytes, block, "RUNE")) {
        ++found.run_ends;
      }
    }
    at += 8 + length;
    found.walked = at;
  }
  return found;
}

FileBlocks telescope_blocks(std::string_view bytes) {
  FileBlocks found;
  std::uint64_t at = 0;
  bool light = false;
  while (bytes.size() - at >= 16 && word(bytes, at) == kSync) {
    const std::uint32_t type = word(bytes, at + 4);
    std::uint64_t length = word(bytes, at + 12) & 0x3FFFFFFF;
    std::uint64_t payload = at + 16;
    if ((type & 0x20000) != 0) {  // 12 more bits of length
      if (bytes.size() - at < 20) break;
      length |= static_cast<std::uint64_t>(word(bytes, at + 16) & 0xFFF) << 30;
      payload += 4;
    }
    if (length > bytes.size() - payload) break;
    count_eventio(found, bytes, type & 0xFFFF, payload, length, light);
    at = payload + length;
    found.walked = at;
  }
  return found;
}

FileBlocks standin_blocks(std::string_view bytes) {
  FileBlocks found;
  std::uint64_t at = 0;
  while (bytes.size() - at >= 16 && word(bytes, at) == kStandinMark) {
    const std::uint64_t length = word(bytes, at + 12);
    if (length > bytes.size() - at - 16) break;
    switch (word(bytes, at + 4)) {
      case kStandinRun:
        ++found.run_headers;
        break;
      case kStandinEvent:
        ++found.event_headers;
        break;
      case kStandinEventEnd:
        ++found.event_ends;
        break;
      case kStandinRunEnd:
        ++found.run_ends;
        break;
      default:
        break;
    }
    at += 16 + length;
    found.walked = at;
  }
  return found;
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
