// Writes a page by the templates data/page.html and data/page.md.mustache.
#include "overlay/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <kainjow/mustache.hpp>

namespace overlay {

extern const char* const kPageHtml;  // made from data/page.html
extern const char* const kPageMarkdown;

namespace {

using kainjow::mustache::data;
using kainjow::mustache::list;
using kainjow::mustache::object;
using nlohmann::json;

/// A text for a template. An empty one is false: no part of a template that is for it is shown.
data shown(const std::string& text) { return text.empty() ? data(false) : data(text); }

data picture_data(const Cell& cell) {
  if (cell.shapes.empty()) return false;
  list shapes;
  for (const Shape& shape : cell.shapes) {
    const double from = std::clamp(shape.from, 0.0, 1.0), to = std::clamp(shape.to, 0.0, 1.0);
    shapes.push_back(object{{"x", fmt::format("{:.3f}%", 100 * from)},
                            {"width", to > from ? fmt::format("{:.3f}%", 100 * (to - from)) : "2"},
                            {"y", std::to_string(shape.top)},
                            {"height", std::to_string(shape.height)},
                            {"attribute", shape.style.starts_with('#') ? "fill" : "class"},
                            {"style", shape.style}});
  }
  return object{{"height", std::to_string(cell.height)}, {"shapes", shapes}};
}

data table_data(const Block& table) {
  if (table.rows.empty()) return false;
  list columns, rows;
  std::vector<list> cells(table.rows.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto holds = [&](const auto& row) { return !row[i].text.empty() || !row[i].shapes.empty(); };
    if (std::none_of(table.rows.begin(), table.rows.end(), holds)) continue;
    const Column& column = table.columns[i];
    const bool number = column.is_number(), picture = column.as == "picture";
    columns.push_back(object{{"title", column.title}, {"number", number}, {"drawn", picture}});
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const Cell& cell = table.rows[k][i];
      const bool plain = !cell.code && !cell.strong;
      cells[k].push_back(object{{"code", shown(cell.code ? cell.text : "")},
                                {"strong", shown(cell.strong && !cell.code ? cell.text : "")},
                                {"plain", shown(plain ? cell.text : "")},
                                {"link", shown(cell.link)},
                                {"colour", shown(cell.colour)},
                                {"tag", i == 0 && cell.shapes.empty() ? "th" : "td"},
                                {"title", column.title},
                                {"number", number},
                                {"drawn", picture},
                                {"picture", picture_data(cell)}});
    }
  }
  for (const list& row : cells) rows.push_back(object{{"cells", row}});
  return object{{"columns", columns}, {"rows", rows}, {"wide", columns.size() > 2}};
}

data page_data(const Page& page) {
  list sections;
  for (const Section& section : page.sections) {
    list blocks;
    for (const Block& block : section.blocks) {
      const std::string code = block.code.substr(0, block.code.size() - (block.code.ends_with('\n') ? 1 : 0));
      list links;
      for (const Cell& cell : block.links) links.push_back(object{{"text", cell.text}, {"link", cell.link}});
      blocks.push_back(object{{"text", shown(block.text)},
                              {"note", shown(block.note)},
                              {"warning", shown(block.warning)},
                              {"heading", shown(block.heading)},
                              {"code", shown(code)},
                              {"list", list(block.list.begin(), block.list.end())},
                              {"listed", !block.list.empty()},
                              {"linked", !links.empty()},
                              {"links", links},
                              {"table", table_data(block)}});
    }
    sections.push_back(object{{"title", shown(section.title)}, {"blocks", blocks}});
  }
  return object{{"about", page.about},
                {"answer", page.answer},
                {"title", page.title},
                {"verdict", page.good ? "yes" : "no"},
                {"sections", sections},
                {"footer", page.footer},
                {"refresh", shown(page.refresh_s > 0 ? std::to_string(page.refresh_s) : "")}};
}

/// Text as HTML shows it. Control characters, which HTML does not allow, become U+FFFD.
std::string escaped(const std::string& text) {
  std::string html;
  for (const char c : kainjow::mustache::html_escape(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f)
      html += "\xEF\xBF\xBD";
    else
      html += c;
  }
  return html;
}

std::string filled(const char* text, const Page& page, std::string (*escape)(const std::string&)) {
  kainjow::mustache::mustache form{std::string(text)};
  form.set_custom_escape(escape);
  return form.render(page_data(page));
}

int digits_shown(double value) {
  return value > 0 ? std::clamp(2 - static_cast<int>(std::floor(std::log10(value))), 0, 6) : 0;
}

Cell cell_of(const json& row, const Column& column) {
  const auto found = row.find(column.member);
  if (found == row.end() || found->is_null()) return {};
  if (column.as == "count") return {grouped(found->get<std::uint64_t>())};
  if (column.as == "significant") return {significant(found->get<double>())};
  if (column.as == "seconds") return {seconds(found->get<double>())};
  if (column.as == "duration") return {duration(found->get<double>())};
  if (column.as == "percent") return {percent(found->get<double>(), 2)};
  return {found->is_string() ? found->get<std::string>() : found->dump(), column.as == "code"};
}

}  // namespace

std::string page_markdown(const Page& page) {
  return filled(kPageMarkdown, page, [](const std::string& text) { return text; });
}

std::string page_html(const Page& page) { return filled(kPageHtml, page, escaped); }

Block table_of(const json& rows, std::vector<Column> columns) {
  Block table{.columns = std::move(columns)};
  for (const json& row : rows) {
    table.rows.emplace_back();
    for (const Column& column : table.columns) table.rows.back().push_back(cell_of(row, column));
    table.rows.back().front().link = row.value("log", "");
  }
  return table;
}

Cell drawn(int height, std::vector<Shape> shapes) {
  return {"", false, false, "", height, std::move(shapes)};
}

std::string text_at(const json& document, const std::string& member) {
  return document.at(member).get<std::string>();
}

std::uint64_t count_at(const json& document, const std::string& member) {
  return document.at(member).get<std::uint64_t>();
}

double number_at(const json& document, const std::string& member) {
  const auto found = document.find(member);
  return found != document.end() && found->is_number() && std::isfinite(found->get<double>())
             ? found->get<double>()
             : 0;
}

std::string category_colour(std::size_t index) {
  constexpr std::array<const char*, 12> kColours{"#44AA99", "#332288", "#DDCC77", "#CC6677",
                                                 "#3366CC", "#999933", "#882255", "#88CCEE",
                                                 "#117733", "#AA4499", "#CCCCCC", "#661100"};
  return kColours[index % kColours.size()];
}

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string significant(double value) { return fmt::format("{:.{}f}", value, digits_shown(value)); }

std::string seconds(double value) { return significant(value) + " s"; }

std::string duration(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 24 * kHour;
  if (seconds < 2 * kMinute) return significant(seconds) + " s";
  if (seconds < 2 * kHour) return significant(seconds / kMinute) + " min";
  return seconds < 2 * kDay ? significant(seconds / kHour) + " h" : significant(seconds / kDay) + " days";
}

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{} {}", unit == 0 ? fmt::format("{:.0f}", bytes) : significant(bytes), kUnits[unit]);
}

std::string rate_text(double runs_per_hour) {
  if (runs_per_hour < 1) return significant(24 * runs_per_hour) + " runs a day";
  const bool large = runs_per_hour >= 1000;
  return (large ? grouped(static_cast<std::uint64_t>(std::llround(runs_per_hour)))
                : significant(runs_per_hour)) +
         " runs an hour";
}

std::string percent(double share, int digits) { return fmt::format("{:.{}f}%", 100 * share, digits); }

std::string low_to_high(const support::Estimate& estimate) {
  if (!estimate.has_interval) return {};
  const int digits = digits_shown(estimate.value);
  return fmt::format("{:.{}f} to {:.{}f}", estimate.low, digits, estimate.high, digits);
}

}  // namespace overlay
