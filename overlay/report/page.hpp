// A report as plain structures: sections of text, tables and pictures. Knows nothing of builds and runs.
// Templates in overlay/data print it as Markdown and as a page that a browser shows.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "support/statistics.hpp"

namespace overlay {

/// A rectangle of a picture. `from` and `to` are shares of its width, 0 to 1; equal ones make a thin line.
/// Lengths from top to bottom are in pixels.
struct Shape {
  double from = 0, to = 0;
  int top = 0, height = 0;
  std::string style;  ///< a class of data/page.html, or a colour, #RRGGBB
};

/// A text; or a picture, a row of shapes that is as wide as its cell, so that it fits any screen. That holds
/// no number: those stand beside it.
struct Cell {
  std::string text;
  bool code = false, strong = false;
  std::string colour{};         ///< #RRGGBB of a square before the text; empty: none
  int height = 0;               ///< of the picture
  std::vector<Shape> shapes{};  ///< none: a text
  std::string link{};           ///< the file that the text is a link to, relative to the page
};

/// How a column is shown: as text, code, picture, or a number: number (a text of one), count, significant,
/// seconds, duration, percent. `member`: of the JSON that table_of() makes a row of; a row's member "log" is
/// what its first cell links to.
struct Column {
  std::string title, member{}, as = "text";
  bool is_number() const { return as != "text" && as != "code" && as != "picture"; }
};

/// A part of a section; what holds nothing is not shown. Its table has as many cells in a row as columns.
struct Block {
  std::string text{}, note{}, warning{}, heading{}, code{};
  std::vector<std::string> list{};
  std::vector<Column> columns{};  ///< a column whose cells hold nothing is not shown
  std::vector<std::vector<Cell>> rows{};
  std::vector<Cell> links{};  ///< side by side
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
  int refresh_s = 0;  ///< a browser loads it again after so many seconds; 0: never
};

/// The page as Markdown, without pictures.
std::string page_markdown(const Page& page);
/// The page as one HTML file that needs no network and no script. Control characters become U+FFFD.
std::string page_html(const Page& page);

/// A table whose rows are the elements of an array of objects. What is missing or null is an empty cell.
Block table_of(const nlohmann::json& rows, std::vector<Column> columns);

/// A cell that shows a picture.
Cell drawn(int height, std::vector<Shape> shapes);

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
std::string low_to_high(const support::Estimate& estimate);

}  // namespace overlay
