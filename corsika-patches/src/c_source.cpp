// Cuts C into tokens, and finds functions.
#include "corsika_patches/c_source.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace corsika_patches {
namespace {

bool part_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

/// Reads one token after the other; knows comments, quotes and lines that a backslash joins.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  int line() const { return line_; }
  void pass() {
    if (peek() == '\n') ++line_;
    ++at_;
  }
  /// Passes a backslash at the end of a line; false where there is none.
  bool pass_joint() {
    if (peek() != '\\') return false;
    const std::size_t end = peek(1) == '\r' ? 2 : 1;
    if (peek(end) != '\n') return false;
    for (std::size_t i = 0; i <= end; ++i) pass();
    inside_.insert(line_);
    return true;
  }
  /// Lines that begin inside a comment, or continue the one before.
  std::set<int> inside() const { return inside_; }
  bool pass_comment() {
    if (peek() != '/' || (peek(1) != '*' && peek(1) != '/')) return false;
    const bool whole_line = peek(1) == '/';
    pass();
    pass();
    while (!at_end()) {
      if (whole_line ? peek() == '\n' : peek() == '*' && peek(1) == '/') break;
      if (pass_joint()) continue;
      if (peek() == '\n') inside_.insert(line_ + 1);
      pass();
    }
    if (!whole_line && !at_end()) {
      pass();
      pass();
    }
    return true;
  }
  std::string quoted() {
    std::string out(1, peek());
    const char quote = peek();
    pass();
    while (!at_end() && peek() != '\n') {
      if (pass_joint()) continue;
      const char c = peek();
      out += c;
      pass();
      if (c == quote) break;
      if (c == '\\' && !at_end()) {
        out += peek();
        pass();
      }
    }
    return out;
  }
  /// Letters and digits; of a number also its point and the sign of its exponent.
  std::string word(bool number) {
    std::string out;
    while (!at_end()) {
      if (pass_joint()) continue;
      const char c = peek();
      const bool sign = (c == '+' || c == '-') && !out.empty() &&
                        std::string_view("eEpP").find(out.back()) != std::string_view::npos;
      if (!part_of_word(c) && !(number && (c == '.' || sign))) break;
      out += c;
      pass();
    }
    return out;
  }
  std::string sign() {
    static constexpr std::array<std::string_view, 22> signs = {
        "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
        "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    for (const auto known : signs)
      if (text_.substr(at_).starts_with(known)) {
        for (std::size_t i = 0; i < known.size(); ++i) pass();
        return std::string(known);
      }
    const std::string out(1, peek());
    pass();
    return out;
  }
  /// The rest of a preprocessor line behind its #.
  std::string directive() {
    std::string out = "#";
    while (!at_end() && peek() != '\n') {
      if (pass_joint() || pass_comment()) {
        if (out.size() > 1 && out.back() != ' ') out += ' ';
      } else if (peek() == '"' || peek() == '\'') {
        out += quoted();
      } else {
        const char c = blank(peek()) ? ' ' : peek();
        if (c != ' ' || (out.size() > 1 && out.back() != ' ')) out += c;
        pass();
      }
    }
    while (out.ends_with(' ')) out.pop_back();
    return out;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 0;
  std::set<int> inside_;
};

}  // namespace

CSource::CSource(std::string_view text) { parse(text); }

void CSource::parse(std::string_view text) {
  Reader reader(text);
  bool first_of_line = true;
  while (!reader.at_end()) {
    if (reader.pass_joint() || reader.pass_comment()) continue;
    const char c = reader.peek();
    const int line = reader.line();
    if (c == '\n' || blank(c)) {
      first_of_line = first_of_line || c == '\n';
      reader.pass();
      continue;
    }
    if (c == '#' && first_of_line) {
      reader.pass();
      add_directive(reader.directive(), line);
      continue;
    }
    first_of_line = false;
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0 ||
                       (c == '.' && std::isdigit(static_cast<unsigned char>(reader.peek(1))) != 0);
    if (c == '"' || c == '\'')
      add(CToken::Kind::quoted, reader.quoted(), line);
    else if (digit || part_of_word(c))
      add(digit ? CToken::Kind::number : CToken::Kind::word, reader.word(digit), line);
    else
      add(CToken::Kind::sign, reader.sign(), line);
  }
  inside_ = reader.inside();
}

void CSource::add(CToken::Kind kind, std::string text, int line) {
  const bool closes = kind == CToken::Kind::sign && (text == ")" || text == "}");
  const bool opens = kind == CToken::Kind::sign && (text == "(" || text == "{");
  if (closes) --nesting_;
  tokens_.push_back({kind, std::move(text), line, nesting_, branch_});
  if (opens) ++nesting_;
}

void CSource::add_directive(std::string text, int line) {
  const auto branch = [&](const std::string& how, const Conditional& of) {
    branches_.push_back(branches_[static_cast<std::size_t>(of.around)] + how + "\n");
    const int outer = outermost_[static_cast<std::size_t>(of.around)];
    outermost_.push_back(outer < 0 ? of.line : outer);
    branch_ = static_cast<int>(branches_.size()) - 1;
  };
  if (text.starts_with("#if")) {
    tokens_.push_back({CToken::Kind::directive, text, line, nesting_, branch_});
    open_.push_back({text, line, branch_, nesting_});
    branch(text, open_.back());
    return;
  }
  if (!open_.empty() && (text.starts_with("#el") || text == "#endif" || text.starts_with("#endif "))) {
    auto& inner = open_.back();
    if (inner.nesting_behind < 0)  // the braces of extern "C" are not there in C
      inner.nesting_behind = inner.first.find("__cplusplus") != std::string::npos ? inner.nesting : nesting_;
    tokens_.push_back({CToken::Kind::directive, text, line, inner.nesting, inner.around});
    if (text.starts_with("#endif")) {
      nesting_ = inner.nesting_behind;
      branch_ = inner.around;
      open_.pop_back();
    } else {
      nesting_ = inner.nesting;
      branch(inner.first + " " + text, inner);
    }
    return;
  }
  tokens_.push_back({CToken::Kind::directive, std::move(text), line, nesting_, branch_});
}

std::size_t CSource::next(std::size_t at) const {
  do ++at;
  while (at < tokens_.size() && tokens_[at].kind == CToken::Kind::directive);
  return at;
}

/// Behind the parenthesis or brace that closes the one at `open`; the number of tokens where none does.
std::size_t CSource::behind_group(std::size_t open) const {
  const int nesting = tokens_[open].nesting;
  const std::string_view closing = tokens_[open].text == "(" ? ")" : "}";
  for (std::size_t i = open + 1; i < tokens_.size(); ++i)
    if (tokens_[i].nesting == nesting && tokens_[i].kind == CToken::Kind::sign && tokens_[i].text == closing)
      return i + 1;
  return tokens_.size();
}

/// The brace of the body behind a head whose parameters end at `close`; the number of tokens where there is
/// none. Behind a K&R head come declarations of its parameters, each with a semicolon.
std::size_t CSource::body_behind(std::size_t close) const {
  std::size_t last = close;
  for (auto at = next(close); at < tokens_.size(); at = next(last)) {
    const auto& text = tokens_[at].text;
    const bool behind_group_or_semicolon = tokens_[last].text == ")" || tokens_[last].text == ";";
    if (text == "{") return behind_group_or_semicolon ? at : tokens_.size();
    if (text == "=" || (text == ";" && behind_group_or_semicolon)) break;
    if (text == "(" && tokens_[last].text != "__attribute__") break;
    last = text == "(" ? behind_group(at) - 1 : at;
  }
  return tokens_.size();
}

std::vector<CFunction> CSource::functions(std::string_view name) const {
  std::vector<CFunction> out;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const auto& token = tokens_[i];
    if (token.kind != CToken::Kind::word || token.nesting != 0 || token.text != name) continue;
    CFunction found{token.text, i, next(i), 0, 0, token.line};
    if (found.open >= tokens_.size() || tokens_[found.open].text != "(") continue;
    found.close = behind_group(found.open) - 1;
    const auto body = body_behind(found.close);
    if (body >= tokens_.size()) continue;
    while (found.begin > 0) {
      const auto& before = tokens_[found.begin - 1];
      if (before.kind == CToken::Kind::directive || before.text == ";" || before.text == "}") break;
      --found.begin;
    }
    found.end = behind_group(body);
    out.push_back(found);
  }
  return out;
}

int CSource::parameter_count(const CFunction& function) const {
  const auto& open = tokens_[function.open];
  int commas = 0;
  std::vector<std::string> words;
  for (std::size_t i = function.open + 1; i < function.close; ++i) {
    const auto& token = tokens_[i];
    if (token.branch != open.branch || token.kind == CToken::Kind::directive) continue;
    words.push_back(token.text);
    if (token.nesting == open.nesting + 1 && token.text == ",") ++commas;
  }
  return words.empty() || words == std::vector<std::string>{"void"} ? 0 : commas + 1;
}

int CSource::first_line_with(const std::vector<std::string>& names) const {
  for (const auto& token : tokens_) {
    if (token.kind != CToken::Kind::word || std::find(names.begin(), names.end(), token.text) == names.end())
      continue;
    const int around = outermost_[static_cast<std::size_t>(token.branch)];
    int line = around < 0 ? token.line : around;
    while (inside_.contains(line)) --line;
    return line;
  }
  return -1;
}

std::string text_of(const CSource& source) {
  std::string text;
  for (const auto& token : source.tokens()) text += token.text + "\n";
  return text;
}

}  // namespace corsika_patches
