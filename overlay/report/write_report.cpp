// Writes a report: report.json, report.html and report.md, into a folder that is published as a whole. Where
// that folder cannot be written any more, into another one: a report stands for hours of runs.
#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "overlay/report/report.hpp"
#include "overlay/report/report_folder.hpp"
#include "overlay/report/report_page.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

std::vector<std::string> write_all(const Report& report, const fs::path& folder) {
  ReportFolder target(folder);
  const Derived derived = derive(report);
  const std::string json = report_json(report, derived);
  target.write("report.json", json);
  target.write("report.html", report_page(json));
  target.write("report.md", report_markdown(report, derived));
  return target.publish();
}

/// Writes the numbers and the text of a report into a new folder, beside `folder` or among temporary files.
/// Returns where; nothing where both fail.
std::optional<fs::path> write_elsewhere(const Report& report, const fs::path& folder) {
  const Derived derived = derive(report);
  std::error_code none;
  for (const fs::path& parent : {folder.parent_path(), fs::temp_directory_path(none)}) {
    try {
      const auto place = parent / fmt::format("report-{}", support::random_name());
      ReportFolder target(place);
      target.write("report.json", report_json(report, derived));
      target.write("report.md", report_markdown(report, derived));
      target.publish();
      return place;
    } catch (const std::exception&) {
      continue;  // the next place
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> write_report(const Report& report, const fs::path& given) {
  const fs::path folder = given.has_filename() ? given : given.parent_path();
  try {
    return write_all(report, folder);
  } catch (const KeptReport&) {
    throw;
  } catch (const std::exception& problem) {
    if (const auto place = write_elsewhere(report, folder))
      throw support::Error(fmt::format("the report could not be put at {}: {}; it is in {}", folder.string(),
                                       problem.what(), place->string()));
    fmt::print("{}", report_markdown(report, derive(report)));
    throw support::Error(fmt::format("the report could not be put at {}: {}; it is on standard output",
                                     folder.string(), problem.what()));
  }
}

}  // namespace overlay
