// Profiles of a card and options of the user's own. `init` alone writes: a profile, its card, and copies of
// files that the card names.
#include <algorithm>

#include "overlay/build/build.hpp"
#include "overlay/build/profile.hpp"
#include "overlay/build/source.hpp"
#include "overlay/build/toolchain.hpp"
#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
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

/// The options of a request that has its own, by coconut's names. Throws Error where there are none.
std::vector<std::string> own_options(const BuildRequest& request) {
  if (!request.config) return listed_options(request.options, request.corsika == "standin");
  if (!request.options.empty()) throw support::Error("--config and --options both name options; give one");
  if (!fs::is_regular_file(support::status_of(*request.config)))
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

/// Takes a card of the user's own in place of the profile's.
void take_own_card(Profile& profile, const fs::path& card) {
  if (!fs::is_regular_file(support::status_of(card)))
    throw support::Error("no card {}; give an input card of CORSIKA with --card", card.string());
  profile.card_file = fs::absolute(card);
  profile.card_template = support::read_file(card);
  if (Card(profile.card_template).lines().empty())
    throw support::Error("card {} has no keyword; give an input card of CORSIKA", card.string());
}

/// Throws Error where a file is there that may not be replaced.
void refuse_to_replace(const fs::path& file, bool force) {
  std::error_code error;
  if (!force && fs::exists(fs::symlink_status(file, error)))
    throw support::Error("{} is there; give another name, or --force to replace it", file.string());
}

/// Copies what the card names, and lies beside it (`from`) or in the folder of atmospheres, into `folder`.
/// Returns one line for each file that was copied or is missing.
std::vector<std::string> copy_named_files(const Card& card, const fs::path& beside,
                                          const InitRequest& request, const BuildSet& source,
                                          const fs::path& folder) {
  std::vector<std::string> said;
  const std::vector<fs::path> from{beside, request.build.atmosphere_dir.value_or(beside)};
  for (const auto& [how, keyword, name] : named_files(card)) {
    if (how == Names::output || how == Names::prefix || how == Names::tables) continue;
    std::error_code error;
    const bool here = stays_in_folder(name);
    const auto found = std::ranges::find_if(from, [&, &name = name](const fs::path& each) {
      return here && fs::is_regular_file(each / name, error);
    });
    if (found == from.end()) {
      const bool elsewhere = keyword == "ATMOSPHERE" && here
                                 ? source.standin || !find_atmosphere(name, source.source, {}).empty()
                                 : fs::exists(source.source / "run" / name, error);
      if (how == Names::input && !elsewhere)
        said.push_back(
            fmt::format("missing    {}, which {} names; put it beside the profile", name, keyword));
      continue;
    }
    const auto to = folder / name;
    if (fs::equivalent(*found / name, to, error)) continue;
    if (!fs::exists(to, error) || support::read_file(to) != support::read_file(*found / name)) {
      refuse_to_replace(to, request.force);
      fs::create_directories(to.parent_path(), error);
      fs::copy_file(*found / name, to, fs::copy_options::overwrite_existing, error);
      if (error) throw support::Error("cannot write {} ({})", to.string(), error.message());
    }
    said.push_back(fmt::format("copied     {}, which {} names", name, keyword));
  }
  return said;
}

}  // namespace

bool names_options(const BuildRequest& request) { return request.config || !request.options.empty(); }

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

std::vector<std::string> init_profile(const InitRequest& request) {
  auto build = request.build;
  const auto file = fs::absolute(request.file).lexically_normal();
  const auto card_file = fs::path(file).replace_extension(".card");
  std::error_code error;
  if (build.card && fs::equivalent(*build.card, card_file, error))
    throw support::Error("the profile's card would replace {}; give another name", build.card->string());
  for (const auto& made : {file, card_file}) refuse_to_replace(made, request.force);
  refuse_output_in_tree(build.corsika, file, "the profile");
  const auto source = obtain_source(build);
  if (const auto config = source.source / "include" / "config.h";
      !names_options(build) && fs::is_regular_file(config, error))
    build.config = config;
  if (!names_options(build))
    throw support::Error(
        "which options? give coconut's include/config.h with --config FILE, or --options \"NAME NAME ...\"");

  Profile profile;
  std::vector<std::string> said;
  if (build.card) {
    profile = asked_profile(build);
  } else {
    const auto options = own_options(build);
    profile = load_profile(contains(options, "IACT") ? "veritas-gamma-single" : "em-shower", source.standin);
    profile.options = options;
    profile.atmosphere = profile.atmosphere_fallback;
    profile.card_template = render_card(profile);
  }
  const auto card_name = build.card ? build.card->string() : "that of " + profile.name;
  if (!source.standin) {
    const auto unknown = unknown_options(source.source, profile.options);
    std::erase_if(profile.options, [&](const auto& name) { return contains(unknown, name); });
    if (!unknown.empty())
      said.push_back(fmt::format("left out   {}: release {} has no such option", support::join(unknown),
                                 source.corsika_version));
    for (const auto& part : missing_parts(read_models(), source.source, profile.options))
      said.push_back("missing    " + part);
  }
  said.insert(said.begin(), "options    " + support::join(profile.options));
  said.push_back(fmt::format("card       {}; --showers, --erange, --zenith, --atmosphere, --seed change it{}",
                             card_name, build.card ? "" : "; give your own with --card FILE"));
  auto text = profile.card_template;
  std::string unknown_place, refusal;
  try {
    text = render_card(profile);
  } catch (const support::Error& problem) {
    unknown_place = problem.what();
  }
  if (!source.standin && unknown_place.empty())
    refusal = card_refusal(text,
                           corsika_patches::FixedFormSource(corsika_patches::TextFile(
                               support::read_file(source.source / "src" / "corsika.F"))),
                           profile.options, options_left_out(source.source, profile.options));
  const Card card(text);
  for (const auto& warning : {unknown_place, refusal, unquoted_command(card),
                              outputs_elsewhere(card_with_outputs_here(text), profile.options)})
    if (!warning.empty()) said.push_back("look at    " + warning);
  const auto copied =
      copy_named_files(card, profile.card_file.parent_path(), request, source, file.parent_path());
  said.insert(said.end(), copied.begin(), copied.end());
  support::write_file(card_file, profile.card_template);
  const auto program = fmt::format("options = {}\ncard = {}\n", toml_text(profile.options),
                                   toml_text(card_file.filename().string()));
  support::write_file(file, fmt::format("summary = {}\n{}{}", toml_text("card " + card_name), program,
                                        source.standin ? "[standin]\n" + program : ""));
  said.push_back(fmt::format("written    {} and {}", request.file.string(), card_file.filename().string()));
  return said;
}

}  // namespace overlay
