// Reads an HTML page for tests: whether its tags are balanced, its texts, and the elements that hold them.
#pragma once

#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace overlay {

struct HtmlElement {
  std::string tag;
  std::map<std::string, std::string> attributes;
};

/// A text and the elements around it, outermost first.
struct HtmlText {
  std::string text;
  std::vector<HtmlElement> inside;
};

/// A page's elements and texts. `error` says what is not well-formed; empty where all is.
struct HtmlPage {
  std::string error;
  std::vector<HtmlElement> elements;
  std::vector<HtmlText> texts;  ///< not those of style elements
};

/// &lt; and the like as characters.
inline std::string unescape_html(std::string_view html) {
  static const std::map<std::string_view, char> characters{{"amp", '&'},  {"lt", '<'},    {"gt", '>'},
                                                           {"quot", '"'}, {"apos", '\''}, {"#xD", '\r'}};
  std::string text;
  while (!html.empty()) {
    const std::size_t end = html[0] == '&' ? html.find(';') : std::string_view::npos;
    const auto known =
        end == std::string_view::npos ? characters.end() : characters.find(html.substr(1, end - 1));
    text += known == characters.end() ? html[0] : known->second;
    html.remove_prefix(known == characters.end() ? 1 : end + 1);
  }
  return text;
}

/// The attributes in `inside`, which begins after the tag's name; false where they are not NAME="VALUE".
inline bool read_attributes(std::string_view inside, std::map<std::string, std::string>& attributes) {
  for (;;) {
    while (!inside.empty() && std::isspace(static_cast<unsigned char>(inside[0])) != 0)
      inside.remove_prefix(1);
    if (inside.empty() || inside == "/") return true;
    const std::size_t equals = inside.find("=\"");
    const std::size_t end = equals == std::string_view::npos ? equals : inside.find('"', equals + 2);
    if (end == std::string_view::npos) return false;
    const std::string_view value = inside.substr(equals + 2, end - equals - 2);
    const std::string name(inside.substr(0, equals));
    if (name.find_first_of(" <>&'\"") != std::string::npos || value.find('<') != std::string_view::npos)
      return false;
    if (!attributes.emplace(name, unescape_html(value)).second) return false;
    inside.remove_prefix(end + 1);
  }
}

inline HtmlPage read_html(std::string_view html) {
  static const std::set<std::string> empty{"meta", "br"};
  HtmlPage page;
  std::vector<HtmlElement> open;
  const auto stop = [&](const std::string& what) {
    page.error = what + " before: " + std::string(html.substr(0, 60));
    return page;
  };
  if (!html.starts_with("<!DOCTYPE html>")) return stop("no doctype");
  html.remove_prefix(15);
  while (!html.empty()) {
    if (html.starts_with("<!--")) {
      const std::size_t end = html.find("-->");
      if (end == std::string_view::npos) return stop("open comment");
      html.remove_prefix(end + 3);
    } else if (html[0] == '<') {
      const std::size_t end = html.find('>');
      if (end == std::string_view::npos) return stop("open tag");
      const bool closes = html.starts_with("</"), itself = html[end - 1] == '/';
      const std::string_view inside = html.substr(closes ? 2 : 1, end - (closes ? 2 : 1));
      HtmlElement element;
      std::size_t name = 0;
      while (name < inside.size() && std::isalnum(static_cast<unsigned char>(inside[name])) != 0) ++name;
      element.tag = inside.substr(0, name);
      if (element.tag.empty()) return stop("a bare <");
      if (closes) {
        if (open.empty() || open.back().tag != element.tag) return stop("a closing tag that nothing opened");
        open.pop_back();
      } else {
        if (!read_attributes(inside.substr(name), element.attributes)) return stop("wrong attributes");
        page.elements.push_back(element);
        if (!itself && empty.count(element.tag) == 0) open.push_back(element);
      }
      html.remove_prefix(end + 1);
    } else {
      const std::size_t end = std::min(html.find('<'), html.size());
      const std::string_view text = html.substr(0, end);
      for (std::size_t at = 0; (at = text.find('&', at)) != std::string_view::npos; ++at)
        if (unescape_html(text.substr(at, text.find(';', at) - at + 1)).size() != 1) return stop("a bare &");
      if (text.find_first_not_of(" \n") != std::string_view::npos &&
          (open.empty() || open.back().tag != "style"))
        page.texts.push_back({unescape_html(text), open});
      html.remove_prefix(end);
    }
  }
  if (!open.empty()) page.error = "open at the end: " + open.back().tag;
  return page;
}

}  // namespace overlay
