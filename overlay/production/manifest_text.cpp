// The JSON of a manifest, read forward: see the header.
#include "manifest_text.hpp"

#include <charconv>

namespace overlay {
namespace {

void append_utf8(std::string& text, unsigned code) {
  constexpr unsigned kOneByte = 0x80, kTwoBytes = 0x800, kTail = 0x3f;
  if (code < kOneByte) {
    text += static_cast<char>(code);
  } else if (code < kTwoBytes) {
    text += static_cast<char>(0xc0U | code >> 6U);
    text += static_cast<char>(kOneByte | (code & kTail));
  } else {
    text += static_cast<char>(0xe0U | code >> 12U);
    text += static_cast<char>(kOneByte | (code >> 6U & kTail));
    text += static_cast<char>(kOneByte | (code & kTail));
  }
}

}  // namespace

char ManifestText::next() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == ',')) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

void ManifestText::take(char sign) {
  if (!take_if(sign)) throw NoManifest();
}

bool ManifestText::take_if(char sign) {
  if (next() != sign) return false;
  ++at_;
  return true;
}

void ManifestText::key(std::string_view name) {
  take('"');
  if (text_.substr(at_, name.size()) != name) throw NoManifest();
  at_ += name.size();
  if (text_.substr(at_, 2) != "\":") throw NoManifest();
  at_ += 2;
}

std::string ManifestText::any_key() {
  std::string name;
  value(name);
  take(':');
  return name;
}

void ManifestText::value(std::string& text) {
  take('"');
  text.clear();
  for (;;) {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\\') ++end;
    if (end == text_.size()) throw NoManifest();
    text.append(text_, at_, end - at_);
    at_ = end + 1;
    if (text_[end] == '"') return;
    unescape(text);
  }
}

void ManifestText::unescape(std::string& text) {
  constexpr std::string_view kSigns = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  const char sign = at_ < text_.size() ? text_[at_++] : '\0';
  if (const auto meaning = kSigns.find(sign); meaning != std::string_view::npos) {
    text += kMeanings[meaning];
    return;
  }
  constexpr std::size_t kDigits = 4;
  unsigned code = 0;
  const auto digits = text_.substr(at_, kDigits);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  const bool half = code >= 0xd800U && code < 0xe000U;  // of a pair, which the writer does not make
  if (sign != 'u' || read.ec != std::errc() || read.ptr != digits.data() + kDigits || half)
    throw NoManifest();
  at_ += kDigits;
  append_utf8(text, code);
}

template <class Number>
void ManifestText::number(Number& value) {
  next();
  const char* const end = text_.data() + text_.size();
  const auto read = std::from_chars(text_.data() + at_, end, value);
  if (read.ec != std::errc() ||
      (read.ptr != end && std::string_view("}],\n ").find(*read.ptr) == std::string_view::npos))
    throw NoManifest();
  at_ = static_cast<std::size_t>(read.ptr - text_.data());
}

void ManifestText::value(std::int64_t& value) { number(value); }
void ManifestText::value(std::uint64_t& value) { number(value); }
void ManifestText::value(double& value) { number(value); }

}  // namespace overlay
