// The report as a page that a browser shows: the template data/report_page.html, filled from report.json.
#include "overlay/report/report_page.hpp"

#include "overlay/report/page_charts.hpp"
#include "overlay/report/page_template.hpp"
#include "overlay/report/page_values.hpp"

namespace overlay {

extern const char* const kReportPage;  // made from data/report_page.html

namespace {

/// Compiler flags in words: "as shipped", "tuned", or the flags themselves.
std::string flags_in_words(const PageDocument& document, const std::string& pointer) {
  const std::string flags = document.text(pointer);
  if (flags == "shipped") return "as shipped";
  if (flags == "tuned") return "tuned";
  return "with " + show_text(document, pointer);
}

/// A build's name in words.
std::string build_in_words(const PageDocument& document, const std::string& run) {
  const std::string build = document.text(run + "/build");
  if (build == "stock" || build == "stock-shipped")
    return "Stock, " + flags_in_words(document, run + "/flags");
  if (build == "patched") return "Patched, " + flags_in_words(document, run + "/flags");
  if (build == "patched-generator") return "Patched, generator alone";
  if (build == "patched-stage") return "Patched, Cherenkov stage alone";
  return show_text(document, run + "/build");
}

/// Compiler flags of a build; CORSIKA's own where none were given.
std::string compiler_flags(const PageDocument& document, const std::string& pointer) {
  return document.text(pointer).empty() ? "CORSIKA’s own"
                                        : "<code>" + show_text(document, pointer) + "</code>";
}

}  // namespace

std::string report_page(std::string_view report_json) {
  const PageDocument document(report_json);
  return fill_template(kReportPage, document,
                       {{"flags", flags_in_words},
                        {"build", build_in_words},
                        {"compiler-flags", compiler_flags},
                        {"routine", show_routine},
                        {"swatch", category_swatch},
                        {"run-bar", run_bar},
                        {"time-bar", time_bar},
                        {"category-bars", category_bars},
                        {"gain-mark", gain_mark}});
}

}  // namespace overlay
