// `overlay init`: a profile, a file beside a card template, of what a user has in hand. Writes these two
// where its request says, and beside them copies of files that the card names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overlay/build/profile.hpp"

namespace overlay {

/// Makes the profile's card a template: numbers that a profile's [showers] and [values] hold become
/// placeholders, and the profile gets what they were. All other bytes stay. Returns what was taken, and what
/// stays though it looks like such a number, one line each.
std::vector<std::string> make_template(Profile& profile);

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
