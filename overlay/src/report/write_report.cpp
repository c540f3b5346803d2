// Writes a report: report.json, report.html, report.md and pictures, into a folder that is published as a whole.
#include <fmt/format.h>

#include "overlay/report/report.hpp"
#include "overlay/report/report_folder.hpp"
#include "overlay/report/report_page.hpp"
#include "support/error.hpp"
#include "support/python.hpp"

namespace overlay {

extern const char* const kPlotScript;  // made from plot_report.py

namespace {
namespace fs = std::filesystem;

/// Pictures, where python3 has matplotlib. Returns their names.
std::vector<std::string> draw_pictures(const fs::path& folder, std::vector<std::string>& said) {
  const std::string not_drawn =
      support::draw(kPlotScript, {(folder / "report.json").string(), folder.string()});
  if (!not_drawn.empty()) said.push_back(not_drawn);
  std::vector<std::string> pictures;
  for (const char* name : {"stages.png", "times.png"})
    if (fs::exists(folder / name)) pictures.emplace_back(name);
  return pictures;
}

}  // namespace

std::vector<std::string> write_report(const Report& report, const fs::path& folder) {
  std::vector<std::string> said;
  try {
    ReportFolder target(folder);
    const Derived derived = derive(report);
    const std::string json = report_json(report, derived);
    target.write("report.json", json);
    target.write("report.html", report_page(json));
    const std::vector<std::string> pictures = draw_pictures(target.draft(), said);
    target.write("report.md", report_markdown(report, derived, pictures));
    for (const std::string& line : target.publish()) said.push_back(line);
  } catch (const fs::filesystem_error& failure) {
    throw support::Error(fmt::format("cannot write the report: {}", failure.what()));
  }
  return said;
}

}  // namespace overlay
