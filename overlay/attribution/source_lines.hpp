// Source lines of addresses, and the files that they came from. Runs addr2line on a program or library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace overlay {

/// A function and a place in the sources; the caller of an inlined function is the next frame.
struct Frame {
  std::string function;
  std::string file;  ///< "??" where unknown
  int line = 0;
};

/// Reads what `addr2line -a -f -i` prints: for every address, innermost frame first.
std::map<std::uint64_t, std::vector<Frame>> parse_addr2line(const std::string& text);

/// Asks addr2line about all addresses at once. Empty where binutils are not there.
std::map<std::uint64_t, std::vector<Frame>> source_lines(const std::filesystem::path& object,
                                                         const std::vector<std::uint64_t>& addresses);

/// Line markers of the C preprocessor that were turned into Fortran comments, read to find
/// where a line came from:
///     * 12 "some/file.inc" 1
/// gfortran follows true markers (`# 12 "some/file.inc" 1`) by itself, so its line tables name the included
/// file. If CORSIKA is built so that the preprocessed source is kept, its Makefile turns the markers into
/// comments, and line tables hold physical lines.
class LineMarkers {
 public:
  /// Empty where the file cannot be read or has no markers.
  explicit LineMarkers(const std::filesystem::path& file);

  bool readable() const { return readable_; }
  /// File that the line (from 1) came from; empty where no marker stands before it.
  const std::string& file_at(int line) const;

 private:
  std::map<int, int> first_line_;  ///< first line after a marker -> index of its file
  std::vector<std::string> files_;
  bool readable_ = false;
};

}  // namespace overlay
