// Writes a page as Markdown and as HTML, whose frame is data/page.html.
#include "overlay/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace overlay {

extern const char* const kPage;  // made from data/page.html

namespace {

/// Text as HTML shows it. Control characters, which HTML does not allow, become U+FFFD.
std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      html += "&amp;";
    else if (c == '<')
      html += "&lt;";
    else if (c == '>')
      html += "&gt;";
    else if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f)
      html += "\xEF\xBF\xBD";
    else
      html += c;
  }
  return html;
}

std::string svg(const Picture& picture) {
  std::string shapes;
  for (const Shape& shape : picture.shapes) {
    const double from = std::clamp(shape.from, 0.0, 1.0), to = std::clamp(shape.to, 0.0, 1.0);
    const bool colour = shape.style.starts_with('#');
    shapes += fmt::format(R"(<rect x="{:.3f}%" width="{}" y="{}" height="{}" {}="{}"/>)", 100 * from,
                          to > from ? fmt::format("{:.3f}%", 100 * (to - from)) : "2", shape.top,
                          shape.height, colour ? "fill" : "class", shape.style);
  }
  return fmt::format(R"(<svg width="100%" height="{}" aria-hidden="true">{}</svg>)", picture.height, shapes);
}

std::string html_cell(const Cell& cell, const Column& column, bool first) {
  if (!cell.picture.shapes.empty()) return fmt::format(R"(<td class="picture">{}</td>)", svg(cell.picture));
  std::string text = escaped(cell.text);
  if (cell.code && !text.empty()) text = "<code>" + text + "</code>";
  if (cell.strong) text = "<strong>" + text + "</strong>";
  if (!cell.colour.empty())
    text = fmt::format(R"(<svg class="swatch" width="14" height="14" aria-hidden="true">)"
                       R"(<rect width="14" height="14" fill="{}"/></svg>{})",
                       cell.colour, text);
  return fmt::format("<{0}{1}>{2}</{3}>", first ? R"(th scope="row")" : "td",
                     column.number ? R"( class="number")" : "", text, first ? "th" : "td");
}

std::string html_table(const Table& table) {
  std::string html = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.has_column(i))
      html += fmt::format(R"(<th scope="col"{}>{}</th>)", table.columns[i].number ? R"( class="number")" : "",
                          escaped(table.columns[i].title));
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      if (table.has_column(i)) html += html_cell(row[i], table.columns[i], i == 0);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string html_block(const Block& block) {
  const auto element = [](const char* begin, const std::string& text, const char* end) {
    return text.empty() ? std::string() : begin + escaped(text) + end + "\n";
  };
  std::string html = element("<h3>", block.heading, "</h3>") + element("<p>", block.text, "</p>") +
                     element("<p class=\"warning\">", block.warning, "</p>") +
                     element("<p class=\"note\">", block.note, "</p>") +
                     element("<pre>", block.code, "</pre>");
  if (!block.image.empty()) html += fmt::format("<img alt=\"\" src=\"{}\">\n", escaped(block.image));
  for (const std::string& item : block.list) html += element("<p class=\"item\">", item, "</p>");
  return block.table.rows.empty() ? html : html + html_table(block.table);
}

std::string markdown_cell(const Cell& cell) {
  if (cell.text.empty()) return "";
  const char* mark = cell.code ? "`" : cell.strong ? "**" : "";
  return mark + cell.text + mark;
}

std::string markdown_row(const Table& table, const auto& text_of) {
  std::string line = "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (!table.columns[i].picture && table.has_column(i)) line += fmt::format(" {} |", text_of(i));
  return line + "\n";
}

std::string markdown_table(const Table& table) {
  std::string text =
      markdown_row(table, [&](std::size_t i) { return table.columns[i].title; }) +
      markdown_row(table, [&](std::size_t i) { return table.columns[i].number ? "---:" : "---"; });
  for (const auto& row : table.rows)
    text += markdown_row(table, [&](std::size_t i) { return markdown_cell(row[i]); });
  return text + "\n";
}

std::string markdown_block(const Block& block) {
  std::string text;
  if (!block.heading.empty()) text += fmt::format("### {}\n\n", block.heading);
  if (!block.text.empty()) text += block.text + "\n\n";
  if (!block.warning.empty()) text += fmt::format("**{}**\n\n", block.warning);
  if (!block.note.empty()) text += block.note + "\n\n";
  if (!block.code.empty())
    text += fmt::format("```\n{}{}```\n\n", block.code, block.code.back() == '\n' ? "" : "\n");
  if (!block.image.empty()) text += fmt::format("![]({})\n\n", block.image);
  for (const std::string& item : block.list) text += fmt::format("- {}\n", item);
  if (!block.list.empty()) text += "\n";
  return block.table.rows.empty() ? text : text + markdown_table(block.table);
}

}  // namespace

bool Table::has_column(std::size_t column) const {
  return std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
    return !row[column].text.empty() || !row[column].picture.shapes.empty();
  });
}

std::string page_markdown(const Page& page) {
  std::string text = fmt::format("# {}\n\n{}\n\n**{}**\n\n", page.title, page.about, page.answer);
  for (const Section& section : page.sections) {
    if (!section.title.empty()) text += fmt::format("## {}\n\n", section.title);
    for (const Block& block : section.blocks) text += markdown_block(block);
  }
  return text + page.footer + "\n";
}

std::string page_html(const Page& page) {
  std::string body =
      fmt::format("<header><p class=\"note\">{}</p>\n<p class=\"answer {}\">{}</p>\n<h1>{}</h1>\n",
                  escaped(page.about), page.good ? "yes" : "no", escaped(page.answer), escaped(page.title));
  const char* end = "</header>\n";
  for (const Section& section : page.sections) {
    if (!section.title.empty()) {
      body += fmt::format("{}<section>\n<h2>{}</h2>\n", end, escaped(section.title));
      end = "</section>\n";
    }
    for (const Block& block : section.blocks) body += html_block(block);
  }
  body += fmt::format("{}<footer><p>{}</p></footer>\n", end, escaped(page.footer));
  std::string html = kPage;
  for (const auto& [word, text] :
       {std::pair<std::string_view, std::string>{"{{title}}", escaped(page.title)}, {"{{body}}", body}})
    html.replace(html.find(word), word.size(), text);
  return html;
}

std::string category_colour(std::size_t index) {
  constexpr std::array<const char*, 12> kColours{"#44AA99", "#332288", "#DDCC77", "#CC6677",
                                                 "#3366CC", "#999933", "#882255", "#88CCEE",
                                                 "#117733", "#AA4499", "#CCCCCC", "#661100"};
  if (index < kColours.size()) return kColours[index];
  // Further categories, of a user's own list: an odd factor gives each index other 20 bits, and no colour
  // above ends in 1.
  return fmt::format("#{:05X}1", static_cast<std::uint32_t>(index * 0x9E375u) & 0xFFFFFu);
}

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

namespace {
int digits_shown(double value) {
  return value > 0 ? std::clamp(2 - static_cast<int>(std::floor(std::log10(value))), 0, 6) : 0;
}
}  // namespace

std::string significant(double value) { return fmt::format("{:.{}f}", value, digits_shown(value)); }

std::string percent(double share, int digits) { return fmt::format("{:.{}f}%", 100 * share, digits); }

std::string low_to_high(const support::Estimate& estimate) {
  if (!estimate.has_interval) return {};
  const int digits = digits_shown(estimate.value);
  return fmt::format("{:.{}f} to {:.{}f}", estimate.low, digits, estimate.high, digits);
}

}  // namespace overlay
