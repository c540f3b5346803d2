// The blocks of CORSIKA's output files: where they are, which hold dates, how many events there are. Reads
// memory, and nothing outside of what it is given, whatever the bytes are.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace overlay {

/// Offsets of a block, of its content, and behind it. A header's content is CORSIKA's words of 4 bytes, of
/// which RUNH or EVTH is the first.
struct BlockPlace {
  std::uint64_t begin = 0, payload = 0, end = 0;
};

/// What a walk through a file's blocks found.
struct FileBlocks {
  // By rising offset, each within the file: headers with CORSIKA's words, and copies of the card in a
  // telescope file, all of it or a line each.
  std::vector<BlockPlace> runs, events, cards;
  std::uint64_t run_headers = 0, run_ends = 0;
  std::uint64_t event_headers = 0, event_ends = 0;
  std::uint64_t events_without_light =
      0;                     ///< telescope files: event ends with no light since the event's header
  std::uint64_t walked = 0;  ///< bytes of whole blocks from the start
};

/// The form of a file, by how it begins.
enum class FileForm {
  /// Particle files, and those of Cherenkov light on a grid: Fortran records, with their length in 4 bytes
  /// before and behind. A record has 21 sub-blocks of 273 words, with thinning of 312. A sub-block starts
  /// with
  /// RUNH, EVTH, LONG, EVTE or RUNE unless it holds particles.
  particle,
  /// Telescope files (eventio): objects with a header of 16 bytes, which are sync word, type, identifier and
  /// length, or 20 where the type says that the length goes on. The run header is type 1200, the event header
  /// 1202, the event end 1209, the run end 1210, each a count of words and the words. The card is type 1212,
  /// and holds strings. Light is type 1204; where it is split, it begins with type 1213 and ends with 1214.
  telescope,
  /// The photon file of the stand-in program (validation/standin/README.md): blocks of four words, which are
  /// 0x53544e44, type, number and bytes, and data. Type 1 is a line of the card, 2 the run header, 3 the
  /// event
  /// header, 6 the event end, 7 the run end.
  standin,
  other
};
FileForm form_of(std::string_view bytes);

/// The blocks of a file; none where its form is another one. The walk ends where the file no longer has its
/// form.
FileBlocks blocks_of(std::string_view bytes);

/// Why an object of a telescope file does not add up, those within it included: lengths of inner objects that
/// overlap or leave a gap, or an outermost object without the sync word. Empty where all add up. Throws
/// nothing.
std::string eventio_gap(std::string_view bytes);

/// A header's word, counted from 1 as CORSIKA's guide does; 0 where the header is shorter.
float header_word(std::string_view bytes, const BlockPlace& header, std::uint64_t word);

/// The places of the dates in these headers, and the headers' names, RUNH or EVTH. A date is a word of 4
/// bytes.
std::map<std::uint64_t, const char*> date_places(const FileBlocks& blocks);

/// The date in a header word, as yymmdd; 0 where the word holds none.
int date_at(std::string_view bytes, std::uint64_t offset);

}  // namespace overlay
