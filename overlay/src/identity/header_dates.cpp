#include "overlay/identity/header_dates.hpp"

#include <bit>
#include <cstring>

namespace overlay {
namespace {

constexpr std::uint64_t kSubBlocks = 21;
constexpr std::uint64_t kRunDateWord = 3, kEventDateWord = 45;  // counted from 1, as CORSIKA's guide does
constexpr std::uint32_t kSync = 0xD41F8A37;                     // eventio, in this machine's order
constexpr std::uint32_t kRunHeader = 1200, kEventHeader = 1202, kEventEnd = 1209;

/// Little-endian, as every machine that CORSIKA's Fortran runs on today writes it.
std::uint32_t word(std::string_view bytes, std::uint64_t offset) {
  std::uint32_t value = 0;
  if (offset + 4 <= bytes.size()) std::memcpy(&value, bytes.data() + offset, 4);
  return value;
}

bool named(std::string_view bytes, std::uint64_t offset, const char* name) {
  return offset + 4 <= bytes.size() && std::memcmp(bytes.data() + offset, name, 4) == 0;
}

bool is_record_length(std::uint32_t length) {
  return length == kSubBlocks * 273 * 4 || length == kSubBlocks * 312 * 4;
}

}  // namespace

bool is_particle_file(std::string_view bytes) {
  return bytes.size() >= 8 && is_record_length(word(bytes, 0)) && named(bytes, 4, "RUNH");
}

bool is_telescope_file(std::string_view bytes) { return bytes.size() >= 16 && word(bytes, 0) == kSync; }

FileBlocks particle_blocks(std::string_view bytes) {
  FileBlocks found;
  std::uint64_t at = 0;
  while (at + 8 <= bytes.size()) {
    const std::uint32_t length = word(bytes, at);
    if (!is_record_length(length) || at + 8 + length > bytes.size()) break;
    const std::uint64_t step = length / kSubBlocks;
    for (std::uint64_t block = at + 4; block < at + 4 + length; block += step) {
      if (named(bytes, block, "RUNH")) {
        ++found.runs;
        found.dates.push_back({block + 4 * (kRunDateWord - 1), "RUNH"});
      } else if (named(bytes, block, "EVTH")) {
        found.dates.push_back({block + 4 * (kEventDateWord - 1), "EVTH"});
      } else if (named(bytes, block, "EVTE")) {
        ++found.events;
      }
    }
    at += 8 + length;
  }
  return found;
}

FileBlocks telescope_blocks(std::string_view bytes) {
  FileBlocks found;
  std::uint64_t at = 0;
  while (at + 16 <= bytes.size() && word(bytes, at) == kSync) {
    const std::uint32_t type = word(bytes, at + 4);
    std::uint64_t length = word(bytes, at + 12) & 0x3FFFFFFF;
    std::uint64_t payload = at + 16;
    if ((type & 0x20000) != 0) {  // extension: 12 more bits of length
      length |= static_cast<std::uint64_t>(word(bytes, at + 16) & 0xFFF) << 30;
      payload += 4;
    }
    const std::uint64_t words = payload + 4;  // behind the count
    if ((type & 0xFFFF) == kRunHeader && named(bytes, words, "RUNH")) {
      ++found.runs;
      found.dates.push_back({words + 4 * (kRunDateWord - 1), "RUNH"});
    } else if ((type & 0xFFFF) == kEventHeader && named(bytes, words, "EVTH")) {
      found.dates.push_back({words + 4 * (kEventDateWord - 1), "EVTH"});
    } else if ((type & 0xFFFF) == kEventEnd) {
      ++found.events;
    }
    at = payload + length;
  }
  return found;
}

int date_at(std::string_view bytes, std::uint64_t offset) {
  if (offset + 4 > bytes.size()) return 0;
  const float value = std::bit_cast<float>(word(bytes, offset));
  if (!(value >= 101.0f && value <= 991231.0f)) return 0;
  const int date = static_cast<int>(value);
  const int month = date / 100 % 100, day = date % 100;
  if (static_cast<float>(date) != value || month < 1 || month > 12 || day < 1 || day > 31) return 0;
  return date;
}

}  // namespace overlay
