// A profile written from what a user has in hand, its card, and copies of files that the card names.
#include "overlay/build/init_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <utility>

#include "overlay/build/build.hpp"
#include "overlay/build/own_profile.hpp"
#include "overlay/build/source.hpp"
#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "overlay/card/named_files.hpp"
#include "overlay/card/refusal.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// A keyword whose first words become placeholders, and the option by which a user changes it elsewhere.
/// `take` puts the words into the profile; false: they are not what it can hold.
struct PlaceholderLine {
  std::string keyword;
  std::vector<std::string> places;
  const char* option;
  bool (*take)(Profile&, const std::vector<std::string>& words);
};

const std::vector<PlaceholderLine>& placeholder_lines() {
  using Words = std::vector<std::string>;
  static const std::vector<PlaceholderLine> lines{
      {"RUNNR",
       {"RUNNR"},
       "production new --first-run",
       [](Profile& profile, const Words& words) {
         profile.values["RUNNR"] = words[0];
         return card_integer(words[0], -1) >= 0;
       }},
      {"NSHOW",
       {"NSHOW"},
       "--showers",
       [](Profile& profile, const Words& words) {
         profile.showers = card_integer(words[0], 0);
         return profile.showers >= 1;
       }},
      {"PRMPAR",
       {"PRIMARY"},
       "production new --primary",
       [](Profile& profile, const Words& words) {
         profile.values["PRIMARY"] = words[0];
         return card_integer(words[0], 0) >= 1;
       }},
      {"ERANGE",
       {"EMIN", "EMAX"},
       "--erange",
       [](Profile& profile, const Words& words) {
         const auto low = card_real(words[0]), high = card_real(words[1]);
         if (!low || !high || !(*low > 0 && *high >= *low && std::isfinite(*high))) return false;
         profile.energy_range = {*low, *high};
         return true;
       }},
      {"THETAP",
       {"ZENITH", "ZENITH"},
       "--zenith",
       [](Profile& profile, const Words& words) {
         const auto low = card_real(words[0]), high = card_real(words[1]);
         if (!low || !high || *low != *high || !(*low >= 0 && *low <= 90)) return false;
         profile.zenith = *low;
         return true;
       }},
      {"ATMOSPHERE",
       {"ATMOSPHERE"},
       "--atmosphere",
       [](Profile& profile, const Words& words) {
         constexpr int kByName = 99;
         profile.atmosphere = static_cast<int>(std::clamp(card_integer(words[0], 0), 0L, 100L));
         return profile.atmosphere >= 1 && profile.atmosphere < kByName;
       }},
  };
  return lines;
}

/// Whether the card's SEED lines are what @SEEDS@ can stand for; then the profile gets them.
bool take_seeds(Profile& profile, const Card& card) {
  std::vector<long> seeds;
  for (const auto& line : card.lines()) {
    if (line.keyword != "SEED") continue;
    seeds.push_back(card_integer(card_word(line.rest, 1), 0));
    for (const int skipped : {2, 3})
      if (const auto word = card_word(line.rest, skipped); !word.empty() && word != "0") return false;
  }
  if (seeds.empty()) return false;
  const long step = seeds.size() > 1 ? seeds[1] - seeds[0] : 1;
  for (std::size_t i = 0; i < seeds.size(); ++i)
    if (seeds[i] < 1 || seeds[i] > 900000000 || step < 1 ||
        seeds[i] != seeds[0] + static_cast<long>(i) * step)
      return false;
  profile.seed = seeds[0];
  profile.seed_step = static_cast<int>(step);
  profile.seeds = static_cast<int>(seeds.size());
  return true;
}

std::string keyword_in(const std::string& line) {
  return upper_case(line.substr(0, std::min(line.find_first_of(" \t!"), line.size())));
}

/// A line whose first words are placeholders; what is between and behind them stays. One with fewer words
/// stays as it is.
std::string line_with_places(const std::string& old, const std::vector<std::string>& places) {
  std::string line = old;
  std::size_t at = line.find_first_of(" \t");
  for (const auto& place : places) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string::npos || line[at] == '!') return old;
    line.replace(at, std::min(line.find_first_of(" \t!", at), line.size()) - at, "@" + place + "@");
    at += place.size() + 2;
  }
  return line;
}

}  // namespace

std::vector<std::string> make_template(Profile& profile) {
  std::vector<std::string> said;
  const Card card(profile.card_template);
  const auto change = [&](const std::string& keyword, const std::string& what, const char* option, bool taken,
                          const std::string& places, const auto& line) {
    said.push_back(taken ? fmt::format("taken      {}{} as {}", keyword, what, places)
                         : fmt::format("as it is   {}{}; {} replaces it", keyword, what, option));
    if (taken)
      profile.card_template =
          changed_card(profile.card_template, [&](const std::string& old) -> std::optional<std::string> {
            return keyword_in(old) == keyword ? line(old) : old;
          });
  };
  for (const auto& [keyword, places, option, take] : placeholder_lines()) {
    const auto* rest = card.last(keyword);
    if (rest == nullptr || card_word(*rest, 1).starts_with('@')) continue;
    std::vector<std::string> words;
    std::string what, names;
    for (const auto& place : places) {
      words.push_back(card_word(*rest, static_cast<int>(words.size()) + 1));
      what += " " + words.back();
      names += (names.empty() ? "@" : " @") + place + "@";
    }
    auto with = profile;
    const bool taken = take(with, words);
    if (taken) std::swap(with, profile);
    change(keyword, what, option, taken, names,
           [&](const std::string& line) { return std::optional(line_with_places(line, places)); });
  }
  if (const auto seeds = std::ranges::count(card.lines(), "SEED", &CardLine::keyword); seeds > 0) {
    bool first = true;
    change("SEED", fmt::format(", {} lines", seeds), "--seed", take_seeds(profile, card), "@SEEDS@",
           [&](const std::string&) {
             return std::exchange(first, false) ? std::optional<std::string>("@SEEDS@") : std::nullopt;
           });
  }
  return said;
}

namespace {

/// A text as TOML takes it.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string profile_text(const Profile& profile, const std::string& card, bool standin) {
  std::string options, showers, values;
  for (const auto& name : profile.options) options += (options.empty() ? "" : ", ") + quoted(name);
  const auto row = [&](const char* place, const std::string& text) {
    if (has_placeholder(profile.card_template, place)) showers += text + "\n";
  };
  const auto [low, high] = profile.energy_range;
  row("NSHOW", fmt::format("number = {}", profile.showers));
  row("EMIN", fmt::format("energy = [{}, {}]    # GeV", low, high));
  row("ZENITH", fmt::format("zenith = {}    # degrees", profile.zenith));
  row("ATMOSPHERE", fmt::format("atmosphere = {}", profile.atmosphere));
  row("SEEDS",
      fmt::format("seed = {}\nseed_step = {}\nseeds = {}", profile.seed, profile.seed_step, profile.seeds));
  for (const auto& [name, value] : profile.values)
    if (has_placeholder(profile.card_template, name)) values += fmt::format("{} = {}\n", name, quoted(value));
  const auto program = fmt::format("options = [{}]\ncard = {}\n", options, quoted(card));
  return fmt::format("summary = {}\n{}\n[showers]\n{}\n[values]\n{}{}", quoted(profile.summary), program,
                     showers, values, standin ? "\n[standin]\n" + program : "");
}

/// Placeholders of the template that nothing stands for.
std::vector<std::string> unknown_placeholders(const Profile& profile) {
  const auto known = card_values(profile);
  std::vector<std::string> unknown;
  static const std::regex place("@([A-Za-z][A-Za-z_0-9]*)@");
  const auto& text = profile.card_template;
  for (std::sregex_iterator at(text.begin(), text.end(), place), end; at != end; ++at)
    if (const auto name = (*at)[1].str(); !known.contains(name) && !contains(unknown, name))
      unknown.push_back(name);
  return unknown;
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
    const auto found = std::ranges::find_if(
        from, [&](const fs::path& each) { return here && fs::is_regular_file(each / name, error); });
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
    said.push_back(fmt::format("card       that of {}; give your own with --card FILE", profile.name));
    profile.options = options;
    profile.atmosphere = profile.atmosphere_fallback;
    profile.card_template = render_card(profile);
  }
  profile.summary = fmt::format("{} with options of {}", build.card ? build.card->string() : profile.name,
                                build.config ? build.config->string() : "a list");
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
  const auto add = [&](const std::vector<std::string>& more) {
    said.insert(said.end(), more.begin(), more.end());
  };
  add(make_template(profile));
  auto filled = profile;
  for (const auto& name : unknown_placeholders(profile)) {
    said.push_back(fmt::format("unknown    @{}@; say in [values] of the profile what it stands for", name));
    filled.values[name] = "";
  }
  const auto text = render_card(filled);
  const Card card(text);
  std::string refusal;
  if (!source.standin)
    refusal = card_refusal(text, support::read_file(source.source / "src" / "corsika.F"), profile.options,
                           options_left_out(source.source, profile.options));
  for (const auto& warning : {refusal, unquoted_command(card), outputs_elsewhere(text, profile.options)})
    if (!warning.empty()) said.push_back("look at    " + warning);
  add(copy_named_files(card, profile.card_file.parent_path(), request, source, file.parent_path()));
  support::write_file(card_file, profile.card_template);
  support::write_file(file, profile_text(profile, card_file.filename().string(), source.standin));
  said.push_back(fmt::format("written    {} and {}", request.file.string(), card_file.filename().string()));
  return said;
}

}  // namespace overlay
