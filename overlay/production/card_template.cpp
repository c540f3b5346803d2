// The card of a production: one text with places, and the values of each setting. Works on text alone.
#include "overlay/production/card_template.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "overlay/card/card.hpp"
#include "overlay/card/card_files.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

/// A number as CORSIKA reads a REAL: with a point.
std::string real_text(double value) {
  auto text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".";
  return text;
}

void refuse_braces(const std::string& text) {
  if (text.find_first_of("{}") != std::string::npos)
    throw support::Error("the card holds a brace, which marks places in a production's card; take it out");
}

/// @NAME@ becomes {NAME}.
std::string with_places(const std::string& text) {
  std::string result;
  bool open = true;
  for (const char c : text) {
    if (c == '@') {
      result += open ? '{' : '}';
      open = !open;
    } else {
      result += c;
    }
  }
  return result;
}

/// Leaves the values that the template names.
void keep_used(const std::string& text, std::map<std::string, std::string>& values) {
  std::erase_if(values, [&](const auto& value) {
    return value.first == "SEEDS" || value.first == "NSHOW" || value.first == "RUNNR" ||
           text.find("{" + value.first + "}") == std::string::npos;
  });
}

/// The axis, or one element that stands for "as the card has it".
template <class Value>
std::vector<Value> axis_or(const std::vector<Value>& axis, Value otherwise) {
  return axis.empty() ? std::vector<Value>{otherwise} : axis;
}

/// Calls `make` for every combination.
template <class Make>
void for_each_setting(const std::vector<double>& zeniths, const std::vector<int>& atmospheres,
                      const std::vector<std::string>& primaries, Make make) {
  for (const auto& primary : primaries)
    for (const int atmosphere : atmospheres)
      for (const double zenith : zeniths) make(zenith, atmosphere, primary);
}

}  // namespace

ProductionCard profile_production_card(const Profile& profile, const Parameters& parameters,
                                       const ProductionGrid& grid, bool standin) {
  ProductionCard card;
  refuse_braces(card_template(profile, standin));
  card.text = card_with_line(with_places(card_template(profile, standin)), "RUNNR", "RUNNR {RUNNR}");
  card.sequences = profile.seeds;
  for_each_setting(axis_or(grid.zeniths, profile.zenith), axis_or(grid.atmospheres, profile.atmosphere),
                   axis_or(grid.primaries, std::string()),
                   [&](double zenith, int atmosphere, const std::string& primary) {
                     auto of_setting = parameters;
                     of_setting.zenith = zenith;
                     if (atmosphere != profile.atmosphere) of_setting.atmosphere = atmosphere;
                     auto values = card_values(with_parameters(profile, of_setting), standin);
                     if (!primary.empty()) values["PRIMARY"] = primary;
                     ProductionSetting setting{zenith, atmosphere, values["PRIMARY"], std::move(values)};
                     keep_used(card.text, setting.values);
                     card.settings.push_back(std::move(setting));
                   });
  return card;
}

ProductionCard own_production_card(const std::string& own, const ProductionGrid& grid) {
  refuse_braces(own);
  constexpr int kLeastSequences = 4;
  const Card read(own);
  ProductionCard card;
  const auto seeds = std::count_if(read.lines().begin(), read.lines().end(),
                                   [](const auto& line) { return line.keyword == "SEED"; });
  card.sequences = std::max(kLeastSequences, static_cast<int>(seeds));
  card.text = card_with_line(own, "RUNNR", "RUNNR {RUNNR}");
  card.text = card_with_line(card.text, "NSHOW", "NSHOW {NSHOW}");
  for (const char* keyword : {"USER", "HOST"})
    if (read.has(keyword)) card.text = card_with_lines(card.text, keyword, {});
  card.text = card_with_lines(card.text, "SEED", {"{SEEDS}"});
  const auto* theta = read.last("THETAP");
  const auto* primary_line = read.last("PRMPAR");
  const auto* air = read.last("ATMOSPHERE");
  if (!grid.zeniths.empty()) card.text = card_with_line(card.text, "THETAP", "THETAP {ZENITH} {ZENITH}");
  if (!grid.primaries.empty()) card.text = card_with_line(card.text, "PRMPAR", "PRMPAR {PRIMARY}");
  if (!grid.atmospheres.empty())
    card.text = card_with_line(
        card.text, "ATMOSPHERE",
        "ATMOSPHERE {ATMOSPHERE} " +
            std::string(air == nullptr || card_word(*air, 2).empty() ? "T" : card_word(*air, 2)));
  const double zenith = theta == nullptr ? 0. : std::strtod(card_word(*theta, 1).c_str(), nullptr);
  for_each_setting(
      axis_or(grid.zeniths, zenith), axis_or(grid.atmospheres, read.atmosphere()),
      axis_or(grid.primaries, primary_line == nullptr ? std::string("14") : card_word(*primary_line, 1)),
      [&](double angle, int atmosphere, const std::string& primary) {
        ProductionSetting setting{angle, atmosphere, primary, {}};
        setting.values = {
            {"ZENITH", real_text(angle)}, {"ATMOSPHERE", std::to_string(atmosphere)}, {"PRIMARY", primary}};
        keep_used(card.text, setting.values);
        card.settings.push_back(std::move(setting));
      });
  return card;
}

std::string card_problem(const std::string& card, const std::vector<std::string>& options) {
  const Card read(card);
  for (const auto& line : read.lines())
    for (const char* start : {" /", "|/", "\"/", "'/", " ~/"})
      if ((" " + line.rest).find(start) != std::string::npos)
        return fmt::format(
            "the card's line {} names a whole path, which the telescope files would hold; put the file "
            "beside the card and give its name, or a program's name that is in PATH",
            line.keyword);
  return outputs_elsewhere(card, options);
}

}  // namespace overlay
