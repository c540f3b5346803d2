// Shower runs of a user's own: from a card, and from options as coconut's include/config.h or a list gives
// them; and `overlay init`, which writes such a run as a profile.
#pragma once

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

/// The options of `overlay init`.
struct InitRequest {
  std::filesystem::path file;  ///< the profile, NAME.toml; NAME.card is beside it
  BuildRequest build;          ///< sources, card, options, folder of atmospheres
  bool force = false;          ///< files that are there may be replaced
};

/// Writes the profile, its card, and beside them the files that the card names, where they are at hand.
/// Without a card it takes that of one of our profiles, without options those of the tree's own
/// include/config.h. Returns what it did and what the user is to look at, one line each. Throws
/// support::Error, also where a file is there already and is another one.
std::vector<std::string> init_profile(const InitRequest& request);

}  // namespace overlay
