// Mistyped words. Touches nothing.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

namespace support {

/// How many letters are to be changed, put in, left out or exchanged with the next to make one word of
/// another.
inline std::size_t edit_distance(const std::string& from, const std::string& to) {
  std::vector<std::vector<std::size_t>> edits(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i)
    for (std::size_t j = 0; j <= to.size(); ++j) {
      auto& least = edits[i][j] = i + j;
      if (i == 0 || j == 0) continue;
      least = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1,
                        edits[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        least = std::min(least, edits[i - 2][j - 2] + 1);
    }
  return edits[from.size()][to.size()];
}

/// The name that is nearest to a mistyped one, dashes at their beginnings apart; empty where all are other
/// words.
inline std::string nearest(const std::string& typed, const std::vector<std::string>& names) {
  const auto bare = [](const std::string& name) {
    return name.substr(std::min(name.find_first_not_of('-'), name.size()));
  };
  const auto word = bare(typed);
  std::string found;
  auto least = std::max<std::size_t>(word.size() / 3, 1) + 1;  // of that or more edits it is another word
  for (const auto& name : names)
    if (const auto edits = bare(name).starts_with(word) ? 1 : edit_distance(word, bare(name)); edits < least)
      std::tie(least, found) = std::pair(edits, name);
  return found;
}

}  // namespace support
