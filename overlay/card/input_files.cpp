// Input files of a card: see the header.
#include "overlay/card/input_files.hpp"

#include <algorithm>
#include <sstream>

#include "overlay/card/telescope_output.hpp"

namespace overlay {
namespace {

void add_word(std::vector<std::string>& names, std::string word) {
  std::erase_if(word, [](char c) { return c == '\'' || c == '"'; });
  for (const char* before : {"1d:", "2d:", "./"})
    if (word.starts_with(before)) word.erase(0, std::string(before).size());
  const bool plain = !word.empty() && word.find('/') == std::string::npos && word != "." && word != "..";
  if (plain && std::find(names.begin(), names.end(), word) == names.end()) names.push_back(word);
}

}  // namespace

std::vector<std::string> input_files(const Card& card) {
  std::vector<std::string> names;
  for (const CardLine& line : card.lines()) {
    if (line.keyword == "INFILE" || line.keyword == "ATMFILE") add_word(names, card_word(line.rest, 1));
    if (line.keyword != "IACT") continue;
    const std::string what = upper_case(card_word(line.rest, 1));
    for (const char* reads : {"TELSAMPLE", "EXTPRIM", "EXTPRM", "ATMOFILE"})
      if (what == reads) add_word(names, card_word(line.rest, 2));
  }
  std::istringstream words(telescope_command(card).value_or(""));
  std::string program;  // its other words may be names of outputs
  if (words >> program) add_word(names, program);
  return names;
}

}  // namespace overlay
