// The report as a page that a browser shows.
#pragma once

#include <string>
#include <string_view>

namespace overlay {

/// report.html: one HTML file that needs no network and no script, made from the text of report.json alone,
/// so that every number on it is in report.json. What was not measured is left out or shown as a dash. Throws
/// support::Error where the text is not JSON.
std::string report_page(std::string_view report_json);

}  // namespace overlay
