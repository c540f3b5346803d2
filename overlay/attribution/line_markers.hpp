// Which file a line of preprocessed Fortran came from. Reads the source file.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace overlay {

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
