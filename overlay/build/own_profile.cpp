// Profiles of a card and options of the user's own. Writes nothing.
#include "overlay/build/own_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "overlay/build/source.hpp"
#include "overlay/build/toolchain.hpp"
#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// Options of a list, some of which have another name in the preprocessor than in coconut.
std::vector<std::string> listed_options(std::string list, bool standin) {
  static const std::map<std::string, std::string> names_of_macros{
      {"QGSII", "QGSJETII"}, {"QGSIII", "QGSJETIII"}, {"QGSJETOLD", "QGSJET01"}, {"GHEISHAD", "GHEISHA"}};
  std::replace(list.begin(), list.end(), ',', ' ');
  auto names = words_of(upper_case(list));
  for (auto& name : names)
    if (const auto known = names_of_macros.find(name); known != names_of_macros.end() && !standin)
      name = known->second;
  return names;
}

/// Takes a card of the user's own in place of the profile's.
void take_own_card(Profile& profile, const fs::path& card) {
  std::error_code error;
  if (!fs::is_regular_file(card, error))
    throw support::Error("no card {}; give an input card of CORSIKA with --card", card.string());
  profile.card_file = fs::absolute(card);
  profile.card_template = support::read_file(card);
  if (Card(profile.card_template).lines().empty())
    throw support::Error("card {} has no keyword; give an input card of CORSIKA", card.string());
  profile.outputs.clear();  // they are those of the profile's card
}

}  // namespace

bool names_options(const BuildRequest& request) { return request.config || !request.options.empty(); }

std::vector<std::string> own_options(const BuildRequest& request) {
  if (!request.config) return listed_options(request.options, request.corsika == "standin");
  if (!request.options.empty()) throw support::Error("--config and --options both name options; give one");
  std::error_code error;
  if (!fs::is_regular_file(*request.config, error))
    throw support::Error("no file {}, given with --config; give the include/config.h that coconut wrote",
                         request.config->string());
  auto options = options_of_config(*request.config);
  // Answers to what coconut does at its end: no part of the program.
  std::erase_if(options, [](const std::string& name) {
    return contains({"KEEPSOURCE", "NOCOMPILE", "DIST", "DEV"}, name);
  });
  if (options.empty())
    throw support::Error(
        "{} has no line '#define __CACHE_...__' with an option of coconut's; give the include/config.h of a "
        "tree that coconut configured, or --options \"NAME NAME ...\"",
        request.config->string());
  return options;
}

Profile asked_profile(const BuildRequest& request) {
  const bool own = names_options(request);
  if (own && !request.card)
    throw support::Error("{} takes the place of a profile; give the input card, too, with --card FILE",
                         request.config ? "--config" : "--options");
  auto profile = own ? Profile() : load_profile(request.profile, request.corsika == "standin");
  if (own) {
    profile.name = request.card->stem().string();
    profile.summary = fmt::format("{} with the options {}", request.card->filename().string(),
                                  request.config ? "of " + request.config->string() : "that were given");
    profile.options = own_options(request);
  }
  if (request.card) take_own_card(profile, *request.card);
  for (const auto& option : request.with) {
    profile.options.push_back(option);
    profile.name += "-" + option;
  }
  return with_parameters(std::move(profile), request);
}

}  // namespace overlay
