// A report as plain structures: sections of text, tables and pictures. Knows nothing of builds and runs.
// Templates in overlay/data print it as Markdown and as a page that a browser shows.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace overlay {

/// A column of a table shows this member of each row, as text, code, picture, or a number: number (a text of
/// one), count, significant, seconds, duration, percent.
struct Column {
  std::string title, member, as = "text";
};

/// What table_of() makes: none, or one.
using Table = std::vector<nlohmann::json>;

/// A part of a section; what holds nothing is not shown.
struct Block {
  std::string text{}, note{}, warning{}, heading{}, code{};
  std::vector<std::string> list{};
  Table table{};
  std::vector<std::map<std::string, std::string>> links{};  ///< side by side: text, link
};

struct Section {
  std::string title;
  std::vector<Block> blocks;
};

struct Page {
  std::string about, answer, title;
  bool good = true;  ///< the answer's colour
  std::vector<Section> sections;
  std::string footer;
  std::string refresh{};  ///< a browser loads it again after so many seconds; empty: never
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Block, text, note, warning, heading, code, list, table, links)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Section, title, blocks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Page, about, answer, title, good, sections, footer, refresh)

/// The page as Markdown, without pictures.
std::string page_markdown(const Page& page);
/// The page as one HTML file that needs no network and no script. Control characters become U+FFFD.
std::string page_html(const Page& page);

/// A table whose rows are the elements of an array of objects. What is missing or null is an empty cell, and
/// a column of such cells is not shown. Members of a row that are about its cells: `colour` (#RRGGBB) of a
/// square before the first one; `log`, the file that the first one is a link to, relative to the page;
/// `strong`, the member whose cell stands out.
Table table_of(const nlohmann::json& rows, const std::vector<Column>& columns);

/// A rectangle of a picture: {height, shapes}, as wide as its cell, so that it fits any screen. It holds no
/// number: those stand beside it. `from` and `to` are shares of its width, 0 to 1; equal ones make a thin
/// line. Lengths from top to bottom are in pixels. `style`: a class of data/page.html, or a colour, #RRGGBB.
nlohmann::json shape(double from, double to, int top, int height, const std::string& style);

/// The document's member, a finite number; 0 where it is not.
double number_at(const nlohmann::json& document, const std::string& member);
/// The document's member: a text, a whole number. Throws nlohmann::json::exception where it is none.
std::string text_at(const nlohmann::json& document, const std::string& member);
std::uint64_t count_at(const nlohmann::json& document, const std::string& member);

/// The colour of the category with that index, as #RRGGBB: one of twelve.
///
/// They are told apart with normal sight and by people who lack one kind of cone: the least
/// distance of two of them in CIELAB is 15.6 (Machado, Oliveira and Fernandes 2009, IEEE Trans. Vis. Comput.
/// Graph. 15, 1291). They are P. Tol's "muted" scheme (SRON/EPS/TN/09-002) and three more, ordered so that
/// neighbours differ most.
std::string category_colour(std::size_t index);

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t value);
/// "1 file", "1,234 files".
std::string counted(std::uint64_t count, const std::string& noun);
/// With three significant digits, at most six after the point.
std::string significant(double value);
/// The same with the unit.
std::string seconds(double value);
/// A time of any length, in seconds, minutes, hours or days: "1.50 s", "17.0 min".
std::string duration(double seconds);
/// A number of bytes: "1.50 GiB".
std::string bytes_text(double bytes);
/// "1,050 runs an hour"; less than one an hour: "12.0 runs a day".
std::string rate_text(double runs_per_hour);
/// A share as a percentage.
std::string percent(double share, int digits = 1);
/// "7.55 to 7.70", with as many digits as significant() gives the value; empty where there is no interval.
std::string low_to_high(const nlohmann::json& gain);

}  // namespace overlay
