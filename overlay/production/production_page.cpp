// The page of a production: the template data/production_page.html, filled from the document, and its
// pictures.
#include "overlay/production/production_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "overlay/report/page_template.hpp"
#include "overlay/report/page_values.hpp"

namespace overlay {

extern const char* const kProductionPage;  // made from data/production_page.html

namespace {

/// A picture whose width is that of its place; `shapes` are in percent of it.
std::string wide_picture(int height, const std::string& shapes) {
  return fmt::format(R"(<svg class="chart" width="100%" height="{}" aria-hidden="true">{}</svg>)", height,
                     shapes);
}

std::string block(double from, double width, double top, double height, const char* style) {
  return fmt::format(R"(<rect x="{:.3f}%" y="{:.2f}" width="{:.3f}%" height="{:.2f}" class="{}"/>)",
                     100 * from, top, 100 * width, height, style);
}

/// Runs by state, side by side.
std::string progress_bar(const PageDocument& document, const std::string& runs) {
  constexpr std::array<std::pair<const char*, const char*>, 4> kParts{
      {{"published", "published"}, {"running", "running"}, {"rejected", "bad"}, {"poisoned", "bad"}}};
  const double planned = document.number(runs + "/planned").value_or(0);
  if (!(planned > 0)) return {};
  std::string shapes = block(0, 1, 0, 22, "track");
  double at = 0;
  for (const auto& [name, style] : kParts) {
    constexpr double kLeast = 0.004;  // one run of many is to be seen
    const double count = document.number(runs + "/" + name).value_or(0);
    if (count <= 0) continue;
    const double share = std::clamp(count / planned, kLeast, 1.);
    at = std::min(at, 1. - share);
    shapes += block(at, share, 0, 22, style);
    at += share;
  }
  return wide_picture(22, shapes);
}

/// A setting's share that is done.
std::string share_bar(const PageDocument& document, const std::string& setting) {
  const double share = std::clamp(document.number(setting + "/share").value_or(0), 0., 1.);
  return wide_picture(12,
                      block(0, 1, 0, 12, "track") + (share > 0 ? block(0, share, 0, 12, "published") : ""));
}

/// The member `counts` of a distribution as columns; `most` is the highest.
std::string columns(const PageDocument& document, const std::string& pointer) {
  constexpr int kHeight = 120;
  const double most = document.number(pointer + "/most").value_or(0);
  const auto counts = document.children(pointer + "/counts");
  if (!(most > 0) || counts.empty()) return {};
  std::string shapes;
  const double width = 1. / static_cast<double>(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double count = document.number(counts[i]).value_or(0);
    if (count <= 0) continue;
    const double height = std::max(1., count / most * (kHeight - 2));  // one run is to be seen
    shapes +=
        block(static_cast<double>(i) * width + 0.1 * width, 0.8 * width, kHeight - height, height, "column");
  }
  shapes += fmt::format(R"(<line x1="0" x2="100%" y1="{0}" y2="{0}" class="axis"/>)", kHeight - 0.5);
  return wide_picture(kHeight, shapes);
}

}  // namespace

std::string production_page(std::string_view text) {
  const PageDocument document(text);
  return fill_template(kProductionPage, document,
                       {{"progress", progress_bar}, {"share", share_bar}, {"columns", columns}});
}

}  // namespace overlay
