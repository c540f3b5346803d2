// Writes a report: report.json, report.html and report.md, into a folder that is published as a whole.
#include <fmt/format.h>

#include "overlay/report/report.hpp"
#include "overlay/report/report_folder.hpp"
#include "overlay/report/report_page.hpp"
#include "support/error.hpp"

namespace overlay {

std::vector<std::string> write_report(const Report& report, const std::filesystem::path& folder) {
  try {
    ReportFolder target(folder);
    const Derived derived = derive(report);
    const std::string json = report_json(report, derived);
    target.write("report.json", json);
    target.write("report.html", report_page(json));
    target.write("report.md", report_markdown(report, derived));
    return target.publish();
  } catch (const std::filesystem::filesystem_error& failure) {
    throw support::Error(fmt::format("cannot write the report: {}", failure.what()));
  }
}

}  // namespace overlay
