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

/// The same for a template. An empty text is false: no part of a template that is for it is shown. Beside a
/// list L stands has_L.
data data_of(const json& value) {
  if (value.is_string() && value != "") return value.get<std::string>();
  if (value.is_number()) return value.dump();
  if (value.is_array()) {
    list all;
    for (const json& each : value) all.push_back(data_of(each));
    return all;
  }
  if (!value.is_object()) return value == true;
  object all;
  for (const auto& [name, member] : value.items()) {
    all[name] = data_of(member);
    if (member.is_array()) all["has_" + name] = !member.empty();
  }
  return all;
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
  return form.render(data_of(page));
}

int digits_shown(double value) {
  return value > 0 ? std::clamp(2 - static_cast<int>(std::floor(std::log10(value))), 0, 6) : 0;
}

std::string cell_text(const json& row, const Column& column) {
  const json value = row.value(column.member, json());
  if (value.is_null()) return {};
  if (column.as == "count") return grouped(value);
  if (column.as == "significant") return significant(value);
  if (column.as == "seconds") return seconds(value);
  if (column.as == "duration") return duration(value);
  if (column.as == "percent") return percent(value, 2);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string page_markdown(const Page& page) {
  return filled(kPageMarkdown, page, [](const std::string& text) { return text; });
}

std::string page_html(const Page& page) { return filled(kPageHtml, page, escaped); }

Table table_of(const json& rows, const std::vector<Column>& columns) {
  json table;
  for (const Column& column : columns) {
    const auto holds = [&](const json& row) { return !cell_text(row, column).empty(); };
    if (std::none_of(rows.begin(), rows.end(), holds)) continue;
    const bool code = column.as == "code", drawn = column.as == "picture";
    const json shown{
        {"title", column.title}, {"drawn", drawn}, {"number", column.as != "text" && !code && !drawn}};
    const bool first = table.is_null();
    table["columns"].push_back(shown);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const json& row = rows[i];
      json cell = shown;
      cell["tag"] = first && !drawn ? "th" : "td";
      if (first) cell.update({{"colour", row.value("colour", "")}, {"link", row.value("log", "")}});
      if (drawn)
        cell["picture"] = row.value(column.member, json());
      else
        cell[code                                       ? "typed"
             : row.value("strong", "") == column.member ? "strong"
                                                        : "plain"] = cell_text(row, column);
      table["rows"][i]["cells"].push_back(cell);
    }
  }
  if (table.is_null()) return {};
  table["wide"] = table["columns"].size() > 2;
  return {table};
}

json shape(double from, double to, int top, int height, const std::string& style) {
  from = std::clamp(from, 0.0, 1.0);
  to = std::clamp(to, 0.0, 1.0);
  return {{"x", fmt::format("{:.3f}%", 100 * from)},
          {"width", to > from ? fmt::format("{:.3f}%", 100 * (to - from)) : "2"},
          {"y", top},
          {"height", height},
          {"attribute", style.starts_with('#') ? "fill" : "class"},
          {"style", style}};
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

std::string low_to_high(const json& gain) {
  const int digits = digits_shown(gain.at("measured"));
  return gain.at("low").is_null() ? ""
                                  : fmt::format("{:.{}f} to {:.{}f}", number_at(gain, "low"), digits,
                                                number_at(gain, "high"), digits);
}

}  // namespace overlay
