// Whether two runs left the same outputs. Reads the two run folders and writes nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "overlay/identity/output_blocks.hpp"

namespace overlay {

/// The dates that a run's headers may hold, both ends included, as yymmdd.
using Dates = std::pair<int, int>;
constexpr Dates kAnyDate{0, 991231};

/// What a file is, by its content: particle, telescope, log, root or other.
std::string kind_of(std::string_view bytes, const std::string& name);

/// Whether a log's line holds times of the run, so that its digits and blanks may differ.
bool is_time_line(std::string_view line);

/// Why an output's content is not whole, for a sentence that begins with the file's name; empty where it is.
/// A particle or telescope file holds whole blocks: a run header, `showers` events with light and a run end.
/// Of other files nothing is known.
std::string why_not_whole(std::string_view bytes, long showers);

/// How one output file of the two runs compares.
struct FileIdentity {
  std::string name;
  std::string kind = "other";       ///< kind_of() the first
  std::uint64_t bytes = 0;          ///< in the first run
  std::uint64_t bytes_patched = 0;  ///< in the second run
  std::uint64_t events = 0;         ///< events that end in the first run's file
  bool equal = false;
  bool compared = true;                             ///< false: `reason` says why it could not be compared
  std::optional<std::uint64_t> first_difference{};  ///< offset in the first file
  std::string reason{};                             ///< why not equal
  std::vector<std::string> normalised{};            ///< differences that were allowed, in words
};

/// How two run folders compare.
struct Identity {
  bool identical = false;
  std::vector<FileIdentity> files;
  std::optional<std::uint64_t>
      events;  ///< that end in each file with events; nullopt if the files have different numbers of events
  std::vector<std::string> reasons{};  ///< why not identical
  /// Why the outputs could not be compared, so that nobody knows whether they are the same; empty where they
  /// were. Then `identical` is false and `reasons` is empty.
  std::string could_not_compare{};

  bool differs() const { return !identical && could_not_compare.empty(); }
};

/// Compares two contents. Allowed to differ, and nothing else:
/// - in particle and telescope files, the date words of run and event headers, where each holds a date of its
/// window;
/// - in the log, digits and blanks of lines with PRESENT TIME, TOTAL TIME USED or TIME PER EVENT.
FileIdentity compare_bytes(const std::string& name, std::string_view a, std::string_view b,
                           const Dates& dates_a = kAnyDate, const Dates& dates_b = kAnyDate);

/// SHA-256 of what an output says, apart from what may differ between two runs of the same showers
/// (compare_bytes()): date words of run and event headers count as 0; of a log's time lines digits and blanks
/// do not count; and in the copy of the card that a telescope file holds, TELFIL lines do not count, so that
/// light which went through a pipe has the checksum of light which went into a file. Other files: of all
/// bytes.
std::string content_digest(const std::string& name, std::string_view bytes);

/// Compares every file that the two runs wrote (output_files()), compressed ones by their content. What the
/// first run wrote is what is expected: a file that only one of the two wrote is a difference. The outputs
/// could not be compared where they have no difference but in files of ROOT, where both runs lack a file that
/// their log names, and where they wrote nothing but a log. Throws support::Error where a folder or a file
/// cannot be read.
Identity compare_folders(const std::filesystem::path& a, const std::filesystem::path& b,
                         const Dates& dates_a = kAnyDate, const Dates& dates_b = kAnyDate);

}  // namespace overlay
