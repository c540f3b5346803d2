// The template language of the page.
#include "overlay/report/page_template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <vector>

#include "overlay/report/page_values.hpp"
#include "support/error.hpp"

namespace overlay {
namespace {

/// A piece of the template: text to copy where there are no words, else a tag.
struct Piece {
  std::string_view text;
  std::vector<std::string> words;
};

[[noreturn]] void wrong(std::string_view what) {
  throw support::Error(fmt::format("the template of the report page is wrong at {{{{{}}}}}", what));
}

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  while (!text.empty()) {
    const std::size_t begin = text.find("{{");
    pieces.push_back({text.substr(0, begin), {}});
    if (begin == std::string_view::npos) break;
    const std::size_t end = text.find("}}", begin);
    if (end == std::string_view::npos) wrong(text.substr(begin + 2, 40));
    Piece tag{text.substr(begin + 2, end - begin - 2), {}};
    std::istringstream in{std::string(tag.text)};
    for (std::string word; in >> word;) tag.words.push_back(word);
    if (tag.words.empty()) wrong(tag.text);
    pieces.push_back(tag);
    text.remove_prefix(end + 2);
  }
  return pieces;
}

class Filler {
 public:
  Filler(std::vector<Piece> pieces, const PageDocument& document,
         const std::map<std::string, PagePart>& parts)
      : pieces_(std::move(pieces)), document_(document), parts_(parts) {}

  std::string fill() {
    std::string out = block({}, true);
    if (at_ != pieces_.size()) wrong(pieces_[at_].text);
    return out;
  }

 private:
  /// The pieces up to the tag that ends this block, which stays unread. Nothing is shown where `show` is
  /// false.
  std::string block(const std::string& element, bool show) {
    std::string out;
    while (at_ < pieces_.size()) {
      const Piece& piece = pieces_[at_];
      if (!piece.words.empty() && (piece.words[0][0] == '/' || piece.words[0] == "else")) return out;
      ++at_;
      if (piece.words.empty())
        out += show ? piece.text : std::string_view();
      else if (piece.words[0] == "#if" || piece.words[0] == "#is")
        out += condition(piece, element, show);
      else if (piece.words[0] == "#each")
        out += repetition(piece, element, show);
      else if (show)
        out += value(piece, element);
    }
    return out;
  }

  std::string condition(const Piece& piece, const std::string& element, bool show) {
    const bool is = piece.words[0] == "#is";
    need(piece, is ? 3 : 2, is ? 3 : 2);
    bool holds = false;
    if (show) {
      const std::string pointer = pointer_of(piece.words[1], element);
      holds = is ? document_.as_written(pointer) == piece.words[2] : document_.holds(pointer);
    }
    std::string out = block(element, show && holds);
    if (at_ < pieces_.size() && pieces_[at_].words[0] == "else") {
      ++at_;
      out += block(element, show && !holds);
    }
    close(piece, is ? "/is" : "/if");
    return out;
  }

  std::string repetition(const Piece& piece, const std::string& element, bool show) {
    need(piece, 2, 3);
    std::vector<std::string> elements;
    if (show) elements = document_.children(pointer_of(piece.words[1], element));
    if (piece.words.size() == 3)
      elements.resize(std::min(elements.size(), static_cast<std::size_t>(whole(piece, 2))));
    const std::size_t begin = at_;
    std::string out;
    for (const std::string& each : elements) {
      at_ = begin;
      out += block(each, true);
    }
    if (elements.empty()) block(element, false);
    close(piece, "/each");
    return out;
  }

  std::string value(const Piece& piece, const std::string& element) const {
    const std::vector<std::string>& words = piece.words;
    const std::string& what = words[0];
    if (what == "part") {
      need(piece, 2, 3);
      const auto part = parts_.find(words[1]);
      if (part == parts_.end()) wrong(piece.text);
      return part->second(document_, words.size() == 3 ? pointer_of(words[2], element) : std::string());
    }
    if (what == "fixed" || what == "percent") {
      need(piece, 3, 3);
      const int digits = whole(piece, 1);
      const std::string pointer = pointer_of(words[2], element);
      return what == "fixed" ? show_fixed(document_, pointer, digits)
                             : show_fixed(document_, pointer, digits, 100, "%");
    }
    need(piece, 2, what == "count" ? 4 : what == "significant" ? 3 : 2);
    const std::string pointer = pointer_of(words[1], element);
    if (what == "text") return show_text(document_, pointer);
    if (what == "interval") return show_interval(document_, pointer);
    if (what == "mebibytes") return show_fixed(document_, pointer, 0, 1.0 / 1024);
    if (what == "significant") {
      const auto reference = document_.number(words.size() == 3 ? pointer_of(words[2], element) : pointer);
      return show_fixed(document_, pointer, digits_for(reference.value_or(1)));
    }
    if (what != "count") wrong(piece.text);
    if (words.size() == 2) return show_count(document_, pointer);
    need(piece, 4, 4);
    return show_count(document_, pointer) + " " + (document_.number(pointer) == 1.0 ? words[2] : words[3]);
  }

  /// The pointer of a tag, with the element of the innermost #each and texts of the document put in.
  std::string pointer_of(const std::string& word, const std::string& element) const {
    std::string pointer = word;
    for (std::size_t open; (open = pointer.find('(')) != std::string::npos;) {
      const std::size_t end = pointer.find(')', open);
      if (end == std::string::npos) wrong(word);
      const std::string inner = pointer_of(pointer.substr(open + 1, end - open - 1), element);
      std::string name;  // parentheses in it would be read as such again
      for (const char c : pointer_part(document_.text(inner)))
        if (c != '(' && c != ')') name += c;
      pointer.replace(open, end - open + 1, name);
    }
    if (pointer.starts_with("./")) return element + (pointer.size() > 2 ? pointer.substr(1) : std::string());
    if (pointer[0] != '/') wrong(word);
    return pointer;
  }

  void close(const Piece& opened, std::string_view word) {
    if (at_ == pieces_.size() || pieces_[at_].words[0] != word) wrong(opened.text);
    ++at_;
  }

  static void need(const Piece& piece, std::size_t least, std::size_t most) {
    if (piece.words.size() < least || piece.words.size() > most) wrong(piece.text);
  }

  static int whole(const Piece& piece, std::size_t index) {
    const std::string& word = piece.words[index];
    int value = -1;
    const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
    if (result.ec != std::errc() || result.ptr != word.data() + word.size() || value < 0) wrong(piece.text);
    return value;
  }

  std::vector<Piece> pieces_;
  const PageDocument& document_;
  const std::map<std::string, PagePart>& parts_;
  std::size_t at_ = 0;
};

}  // namespace

std::string fill_template(std::string_view text, const PageDocument& document,
                          const std::map<std::string, PagePart>& parts) {
  return Filler(pieces_of(text), document, parts).fill();
}

}  // namespace overlay
