// Shower runs of a user's own: from a card, and from options as coconut's include/config.h or a list gives
// them.
#pragma once

#include <string>
#include <vector>

#include "overlay/build/profile.hpp"

namespace overlay {

/// Whether a request has options of its own.
bool names_options(const BuildRequest& request);

/// These options by coconut's names. Throws support::Error where there are none.
std::vector<std::string> own_options(const BuildRequest& request);

/// The profile that a request asks for, with its own card where it names one, and with what it changes. Where
/// the request has options of its own, all is made of these and of the card, and no file is read as a
/// profile. Throws support::Error as load_profile() and with_parameters() do, where the card is none, and
/// where options are named without a card.
Profile asked_profile(const BuildRequest& request);

}  // namespace overlay
