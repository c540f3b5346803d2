#include <fmt/format.h>

#include <sstream>

#include "overlay/compare/compare.hpp"

namespace overlay {
namespace {

bool is_nshow(const std::string& line) {
  std::istringstream words(line);
  std::string keyword;
  words >> keyword;
  for (char& c : keyword)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return keyword == "NSHOW";
}

}  // namespace

std::string card_with_showers(const std::string& card, long showers) {
  std::istringstream in(card);
  std::string line, text;
  bool found = false;
  while (std::getline(in, line)) {
    if (is_nshow(line)) {
      line = fmt::format("NSHOW   {}", showers);
      found = true;
    }
    text += line + "\n";
  }
  if (!found)
    throw support::Error("the card has no NSHOW line, so the number of showers cannot be set; add one");
  return text;
}

long showers_of_card(const std::string& card) {
  std::istringstream in(card);
  std::string line;
  long showers = 1;
  while (std::getline(in, line)) {
    if (!is_nshow(line)) continue;
    std::istringstream words(line);
    std::string keyword;
    if (!(words >> keyword >> showers)) showers = 1;
  }
  return showers;
}

}  // namespace overlay
