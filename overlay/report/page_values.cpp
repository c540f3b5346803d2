// How values of report.json are shown on the page.
#include "overlay/report/page_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace overlay {
namespace {

std::string data_element(const PageDocument& document, const std::string& pointer, const std::string& shown) {
  return fmt::format(R"(<data value="{}" title="{}">{}</data>)", document.as_written(pointer),
                     escape_html(pointer), shown);
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string html;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      html += "&amp;";
    else if (c == '<')
      html += "&lt;";
    else if (c == '>')
      html += "&gt;";
    else if (c == '"')
      html += "&quot;";
    else if (c == '\'')
      html += "&apos;";
    else if (c == '\r')
      html += "&#xD;";
    else if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f)
      html += "\xEF\xBF\xBD";  // U+FFFD
    else
      html += c;
  }
  return html;
}

std::string show_fixed(const PageDocument& document, std::string_view pointer, int digits, double factor,
                       std::string_view unit) {
  const auto plain = document.resolve(pointer);
  const auto value = document.number(pointer);
  if (!plain || !value) return kNotMeasured;
  return data_element(document, *plain,
                      fmt::format("{:.{}f}{}", *value * factor, std::clamp(digits, 0, 17), unit));
}

std::string show_count(const PageDocument& document, std::string_view pointer) {
  const auto plain = document.resolve(pointer);
  const auto value = document.number(pointer);
  if (!plain || !value) return kNotMeasured;
  std::string digits = fmt::format("{:.0f}", *value);
  for (std::size_t at = digits.size(); at > 3 && digits[at - 4] != '-';) digits.insert(at -= 3, 1, ',');
  return data_element(document, *plain, digits);
}

std::string show_text(const PageDocument& document, std::string_view pointer) {
  const auto plain = document.resolve(pointer);
  const std::string text = document.text(pointer);
  if (!plain || text.empty()) return kNotMeasured;
  return fmt::format(R"(<span data-from="{}">{}</span>)", escape_html(*plain), escape_html(text));
}

std::string show_routine(const PageDocument& document, const std::string& pointer) {
  const auto plain = document.resolve(pointer);
  const std::string name = document.text(pointer);
  std::size_t end = name.find('(', 1);
  while (end != std::string::npos && name.compare(end, 11, "(anonymous ") == 0) end = name.find('(', end + 1);
  if (!plain || end == std::string::npos) return show_text(document, pointer);
  return fmt::format(R"(<span data-from="{}" title="{}">{}</span>)", escape_html(*plain), escape_html(name),
                     escape_html(name.substr(0, end)));
}

std::string show_interval(const PageDocument& document, std::string_view pointer) {
  const auto member = [&](const char* name) { return fmt::format("{}/{}", pointer, name); };
  const auto measured = document.number(member("measured"));
  if (!measured || !document.number(member("low")) || !document.number(member("high"))) return {};
  const int digits = digits_for(*measured);
  return show_fixed(document, member("low"), digits) + " to " + show_fixed(document, member("high"), digits);
}

int digits_for(double value) {
  if (!(value > 0)) return 0;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(value))), 0, 6);
}

}  // namespace overlay
