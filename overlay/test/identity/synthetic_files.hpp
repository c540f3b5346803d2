// Output files of CORSIKA's form, made up, for tests.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

/// Output files of CORSIKA's form, made up.
namespace synthetic {

inline void put_word(std::string& bytes, std::size_t offset, std::uint32_t value) {
  std::memcpy(bytes.data() + offset, &value, 4);
}
inline void put_float(std::string& bytes, std::size_t offset, float value) {
  put_word(bytes, offset, std::bit_cast<std::uint32_t>(value));
}

/// One record: RUNH, EVTH, particles and EVTE for each of at most 6 events, RUNE, the rest zero.
inline std::string particle_file(float date, std::size_t words = 273, int events = 1) {
  const std::size_t block = words * 4, length = 21 * block;
  std::string bytes(length + 8, '\0');
  put_word(bytes, 0, static_cast<std::uint32_t>(length));
  put_word(bytes, 4 + length, static_cast<std::uint32_t>(length));
  std::vector<const char*> names{"RUNH"};
  for (int event = 0; event < events; ++event) names.insert(names.end(), {"EVTH", "", "EVTE"});
  names.push_back("RUNE");
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t k = 0; k < words; ++k)
      put_float(bytes, 4 + i * block + 4 * k, 0.5f * static_cast<float>(k + 7 * i));
    std::memcpy(bytes.data() + 4 + i * block, names[i], std::strlen(names[i]));
    if (std::strcmp(names[i], "RUNH") == 0) put_float(bytes, 4 + i * block + std::size_t{4} * 2, date);
    if (std::strcmp(names[i], "EVTH") == 0) put_float(bytes, 4 + i * block + std::size_t{4} * 44, date);
  }
  return bytes;
}

inline std::string eventio_object(std::uint32_t type, const std::string& payload,
                                  std::uint32_t mark = 0xD41F8A37) {
  std::string header(16, '\0');
  put_word(header, 0, mark);
  put_word(header, 4, type);
  put_word(header, 12, static_cast<std::uint32_t>(payload.size()));
  return header + payload;
}

inline std::string eventio_block(std::uint32_t type, const char* name, std::size_t date_word, float date) {
  std::string payload(4 + 273 * 4, '\0');
  put_word(payload, 0, 273);
  for (std::size_t k = 0; k < 273; ++k) put_float(payload, 4 + 4 * k, 0.25f * static_cast<float>(k));
  std::memcpy(payload.data() + 4, name, 4);
  if (date_word > 0) put_float(payload, 4 + 4 * (date_word - 1), date);
  return eventio_object(type, payload);
}

/// Run header, card, then event header, light and event end for each event, run end.
inline std::string telescope_file(float date, const std::string& card = "SEED 1 0 0\n", int events = 1) {
  std::string bytes = eventio_block(1200, "RUNH", 3, date) + eventio_object(1212, card);
  for (int event = 0; event < events; ++event)
    bytes += eventio_block(1202, "EVTH", 45, date) + eventio_object(1204, std::string(100, 'p')) +
             eventio_block(1209, "EVTE", 0, 0);
  return bytes + eventio_block(1210, "RUNE", 0, 0);
}

/// A script in the place of a program: leaves a particle file and the end of a log, and then does `script`.
inline std::filesystem::path program(const support::TemporaryFolder& folder, const std::string& name,
                                     int events, const std::string& script) {
  const auto particles = folder.write("particles", particle_file(261121, 273, events)).string();
  return folder.write(name, "#!/bin/sh\ncp '" + particles + "' DAT000001\necho ' END OF RUN'\n" + script,
                      true);
}

/// A block of the stand-in program's photon file.
inline std::string standin_block(std::uint32_t type, const std::string& data) {
  return eventio_object(type, data, 0x53544E44);
}

inline std::string standin_file(int events = 1) {
  std::string bytes = standin_block(1, "NSHOW 1") + standin_block(2, std::string(40, 'r'));
  for (int event = 0; event < events; ++event)
    bytes += standin_block(3, std::string(24, 'h')) + standin_block(4, std::string(32, 'b')) +
             standin_block(6, std::string(24, 'e'));
  return bytes + standin_block(7, "");
}

}  // namespace synthetic
