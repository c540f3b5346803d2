#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace overlay {

/// A header's date word in a CORSIKA output file: 4 bytes, a float that holds yymmdd.
struct DateWord {
  std::uint64_t offset = 0;
  const char* block = "";  ///< RUNH or EVTH
};

/// What a walk through a file's blocks found.
struct FileBlocks {
  std::vector<DateWord> dates;
  std::uint64_t runs = 0;    ///< run headers
  std::uint64_t events = 0;  ///< event ends
};

/// Particle (and Cherenkov grid) files: Fortran records with 4-byte markers, 21 sub-blocks of 273 words each,
/// 312 with thinning, that start with RUNH, EVTH, LONG, EVTE or RUNE unless they hold particles. The walk
/// ends where the file is not of that form.
FileBlocks particle_blocks(std::string_view bytes);
bool is_particle_file(std::string_view bytes);

/// Telescope files (eventio): objects with a 16-byte header of sync word, type, identifier and length. The
/// run header is type 1200, the event header 1202, the event end 1209: a count of words, then the words.
FileBlocks telescope_blocks(std::string_view bytes);
bool is_telescope_file(std::string_view bytes);

/// The date in a header word, as yymmdd; 0 where the word holds none.
int date_at(std::string_view bytes, std::uint64_t offset);

}  // namespace overlay
