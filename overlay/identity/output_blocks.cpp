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
  kCard = 1212,
  kArrayLight = 1204,
  kEventEnd = 1209,
  kRunEnd = 1210,
  kSplitLight = 1213
};
enum StandinType : std::uint32_t {
  kStandinCard = 1,
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
      found.runs.push_back({words, size / 4});
      add_date(found, words, size, kRunDateWord, "RUNH");
      break;
    case kEventHeader:
      if (size < 4 || !named(bytes, words, "EVTH")) break;
      ++found.event_headers;
      found.events.push_back({words, size / 4});
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

/// An eventio object behind its sync word, which inner objects do not have.
struct Object {
  std::uint64_t payload = 0, end = 0;
  bool only_objects = false;  ///< its content is objects and nothing else
};

/// `at`: offset of the object's type. Its end may lie behind the end of the file.
Object object_at(std::string_view bytes, std::uint64_t at) {
  Object object;
  const std::uint32_t type = word(bytes, at), length = word(bytes, at + 8);
  std::uint64_t size = length & 0x3FFFFFFF;
  object.payload = at + 12;
  object.only_objects = (length & 0x40000000) != 0;
  if ((type & 0x20000) != 0) {  // 12 more bits of length
    size |= static_cast<std::uint64_t>(word(bytes, at + 12) & 0xFFF) << 30;
    object.payload += 4;
  }
  object.end = object.payload + size;
  return object;
}

/// Why the objects that fill `begin` to `end` do not; empty where they do. Objects within them are looked at
/// too, as deep as the IACT package nests them.
std::string gap_within(std::string_view bytes, std::uint64_t begin, std::uint64_t end, int depth = 0) {
  constexpr int kDeepest = 8;
  for (std::uint64_t at = begin; at < end;) {
    if (end - at < 12)
      return "an object begins at byte " + std::to_string(at) + " and has no room for its header";
    const Object object = object_at(bytes, at);
    if (object.end > end || object.payload > end)
      return "the object at byte " + std::to_string(at) + " ends behind the one that holds it";
    if (object.only_objects && depth < kDeepest) {
      const std::string why = gap_within(bytes, object.payload, object.end, depth + 1);
      if (!why.empty()) return why;
    }
    at = object.end;
  }
  return {};
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
        found.runs.push_back({block, step / 4});
        add_date(found, block, step, kRunDateWord, "RUNH");
      } else if (named(bytes, block, "EVTH")) {
        ++found.event_headers;
        found.events.push_back({block, step / 4});
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
    if ((type & 0xFFFF) == kCard) found.cards.push_back({at, payload, payload + length});
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
      case kStandinCard:
        found.cards.push_back({at, at + 16, at + 16 + length});
        break;
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

std::string eventio_gap(std::string_view bytes) {
  std::uint64_t at = 0;
  while (at < bytes.size()) {
    if (bytes.size() - at < 16 || word(bytes, at) != kSync)
      return "no object of a telescope file begins at byte " + std::to_string(at);
    const Object object = object_at(bytes, at + 4);
    if (object.end > bytes.size() || object.end < object.payload)
      return "the object at byte " + std::to_string(at) + " ends behind the end of the file";
    const std::string why =
        object.only_objects ? gap_within(bytes, object.payload, object.end) : std::string();
    if (!why.empty()) return why;
    at = object.end;
  }
  return {};
}

float header_word(std::string_view bytes, const HeaderBlock& header, std::uint64_t number) {
  if (number < 1 || number > header.words) return 0;
  return std::bit_cast<float>(word(bytes, header.offset + 4 * (number - 1)));
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
