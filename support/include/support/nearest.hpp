// Mistyped words. Touches nothing.
#pragma once

#include <string>
#include <vector>

namespace support {

/// The name that is nearest to a mistyped one, dashes at their beginnings apart; empty where all are other
/// words.
std::string nearest(const std::string& typed, const std::vector<std::string>& names);

}  // namespace support
