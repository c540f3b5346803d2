// The folder of a report on disk: whether it may be replaced, and its replacement as a whole. Touches the
// folder that it is given, a draft folder beside it, and nothing else.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/error.hpp"

namespace overlay {

/// A report that could not get its name, and is whole in its draft folder, which the message names.
class KeptReport : public support::Error {
 public:
  using support::Error::Error;
};

/// Checks that a report can be written to `folder`, before anything has run. The folder may be absent or
/// empty, or hold nothing but files that an earlier report wrote. Makes a folder beside it and deletes it
/// again, to see that one can be made. Throws support::Error where the report could not be written.
void check_report_folder(const std::filesystem::path& folder);

/// A report on its way to disk. The files go into a draft folder beside the final one; publish() gives the
/// draft the final name in one step, so that a reader sees the old report or the new one, never a mixture.
///
/// A published folder holds a list of the files that were written (kReportList). An existing folder is
/// replaced only where all that it holds is on its list, or, where it has no list, is a file of the names
/// that older reports had.
class ReportFolder {
 public:
  static constexpr const char* kReportList = ".overlay-report";

  /// Makes the draft. Throws support::Error as check_report_folder() does.
  explicit ReportFolder(const std::filesystem::path& folder);
  /// Deletes the draft, unless it was published or is to be kept.
  ~ReportFolder();
  ReportFolder(const ReportFolder&) = delete;
  ReportFolder& operator=(const ReportFolder&) = delete;

  const std::filesystem::path& draft() const { return draft_; }

  /// Writes a file of the draft. Throws support::Error where it cannot, as on a full disk.
  void write(const std::string& name, const std::string& text) const;

  /// Gives the draft its name and deletes the report that it replaces. Throws KeptReport where it cannot;
  /// the draft then stays, and the message names it. Returns what was not deleted, one line each.
  std::vector<std::string> publish();

 private:
  std::filesystem::path folder_, draft_;
  bool keep_ = false;
};

}  // namespace overlay
