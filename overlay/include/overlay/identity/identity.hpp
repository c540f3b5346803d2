// Whether two runs left the same outputs. Reads the two run folders and writes nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/card/expected_outputs.hpp"
#include "overlay/identity/output_blocks.hpp"

namespace overlay {

/// The dates that a run's headers may hold, both ends included, as yymmdd.
struct DateWindow {
  int first = 0, last = 991231;
};

/// What a file is, by its content.
enum class FileKind { particle, telescope, log, other };
const char* kind_name(FileKind kind);
FileKind kind_of(std::string_view bytes, const std::string& name);

/// The blocks of a file of this kind; of logs and other files there are none.
FileBlocks blocks_of(FileKind kind, std::string_view bytes);

/// Whether a log's line holds times of the run, so that its digits and blanks may differ.
bool is_time_line(std::string_view line);
/// A line without digits and blanks: fields of times shift with the number of digits.
std::string without_digits(std::string_view line);

/// Why an output's content is not as its card says, for a sentence that begins with the file's name;
/// empty where it is. A file with events is whole, and holds a run header, `showers` events with light and a
/// run end.
std::string why_not_as_expected(const ExpectedFile& file, long showers, std::string_view bytes);

/// How one output file of the two runs compares.
struct FileIdentity {
  std::string name;
  FileKind kind = FileKind::other;
  std::uint64_t bytes = 0;        ///< in the first run
  std::uint64_t other_bytes = 0;  ///< in the second run
  std::uint64_t events = 0;       ///< events that end in the first run's file
  bool equal = false;
  std::optional<std::uint64_t> first_difference;  ///< offset in the first file
  std::string reason;                             ///< why not equal
  std::vector<std::string> normalised;            ///< differences that were allowed, in words
};

/// How two run folders compare.
struct Identity {
  bool identical = false;
  std::vector<FileIdentity> files;
  std::optional<std::uint64_t>
      events;  ///< that end in each file with events; nullopt if the files have different numbers of events
  std::vector<std::string> reasons;  ///< why not identical
};

/// Compares two contents. Allowed to differ, and nothing else:
/// - in particle and telescope files, the date words of run and event headers, where each holds a date of its
/// window;
/// - in the log, digits and blanks of lines with PRESENT TIME, TOTAL TIME USED or TIME PER EVENT.
FileIdentity compare_bytes(const std::string& name, std::string_view a, std::string_view b,
                           const DateWindow& dates_a = {}, const DateWindow& dates_b = {});

/// Compares every file that the two runs wrote. Links are input, and so is what `ignore` names. The two
/// runs are also not identical, with the reason, in these cases: an expected file is missing or empty; a file
/// of events is cut short, or its number of events is not the card's; no expected file holds events. Throws
/// support::Error where a folder or a file cannot be read.
Identity compare_folders(const std::filesystem::path& a, const std::filesystem::path& b,
                         const ExpectedOutputs& expected, const std::set<std::string>& ignore,
                         const DateWindow& dates_a = {}, const DateWindow& dates_b = {});

}  // namespace overlay
