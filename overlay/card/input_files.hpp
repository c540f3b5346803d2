// What a card names to be read. Works on text alone and touches no file.
#pragma once

#include <string>
#include <vector>

#include "overlay/card/card.hpp"

namespace overlay {

/// Names in a card that may be those of files which CORSIKA, its IACT package or the card's command reads:
/// INFILE, ATMFILE, the IACT lines TELSAMPLE (behind `1d:` or `2d:`), EXTPRIM and ATMOFILE, and the
/// program that gets the telescope data. A leading `./` is removed; names with a folder are left out, because
/// they say themselves where the file is.
std::vector<std::string> input_files(const Card& card);

}  // namespace overlay
