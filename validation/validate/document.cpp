// validation.json, its page and its pictures. The only unit here that includes the JSON library.
#include "document.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "overlay/report/page.hpp"
#include "support/machine.hpp"
#include "support/python.hpp"

namespace validation {

extern const char* const kValidationPictures;  // made from pictures.py

namespace {

nlohmann::json check_of(const Done& done) {
  auto values = nlohmann::json::array();
  for (const auto& value : done.outcome.values)
    values.push_back(
        {{"name", value.name},
         {"number", std::isfinite(value.number) ? nlohmann::json(value.number) : nlohmann::json()},
         {"known", value.known}});
  return {{"name", done.check.name},
          {"claim", done.check.claim},
          {"verdict", name_of(done.outcome.verdict)},
          {"said", done.outcome.said},
          {"seconds", done.seconds},
          {"kept", done.kept},
          {"command", done.check.command},
          {"values", std::move(values)}};
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kSkipped:
      return "skipped";
    default:
      return "fails";
  }
}

std::string to_json(const Result& result) {
  const auto machine = support::describe_machine();
  auto groups = nlohmann::json::array(), failed = nlohmann::json::array();
  int holds = 0, skipped = 0;
  for (const auto& done : result.done) {
    if (done.outcome.verdict == Verdict::kFails) failed.push_back(done.check.claim);
    holds += done.outcome.verdict == Verdict::kHolds ? 1 : 0;
    skipped += done.outcome.verdict == Verdict::kSkipped ? 1 : 0;
    if (groups.empty() || groups.back()["name"] != done.check.group)
      groups.push_back({{"name", done.check.group}, {"checks", nlohmann::json::array()}});
    groups.back()["checks"].push_back(check_of(done));
  }
  const nlohmann::json document{
      {"made", result.made},
      {"full", result.full},
      {"corsika", result.corsika},
      {"machine",
       {{"cpu", machine.cpu}, {"cores", machine.cores}, {"system", machine.system}, {"gpu", machine.gpu}}},
      {"seconds", result.seconds},
      {"holds", failed.empty()},
      {"failed", failed},
      {"counts",
       {{"holds", holds}, {"fails", failed.size()}, {"skipped", skipped}, {"all", result.done.size()}}},
      {"groups", groups},
      {"pictures", result.pictures}};
  return document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string to_page(const std::string& text) {
  const auto document = nlohmann::json::parse(text);
  const auto& machine = document.at("machine");
  const auto& counts = document.at("counts");
  overlay::Page page;
  page.about = fmt::format("{} · {}, {} cores · {} · {}", document.at("made").get<std::string>(),
                           machine.at("cpu").get<std::string>(), machine.at("cores").dump(),
                           machine.at("system").get<std::string>(), machine.at("gpu").get<std::string>());
  page.good = document.at("holds");
  page.answer = page.good ? "Every claim that could be checked holds" : "Claims fail";
  page.title =
      fmt::format("Validation: {} of {} checks hold", counts.at("holds").dump(), counts.at("all").dump());
  overlay::Section first{
      "",
      {{.text = fmt::format("{} checks could not run on this machine; each row says why. Input: {}. Time: "
                            "{:.0f} s. Seeds are fixed, so that "
                            "a repetition gives the same numbers.",
                            counts.at("skipped").dump(), document.at("corsika").get<std::string>(),
                            document.at("seconds").get<double>())}}};
  if (!page.good)
    first.blocks.push_back(
        {.heading = "Claims that fail", .list = document.at("failed").get<std::vector<std::string>>()});
  page.sections.push_back(first);
  overlay::Section pictures{"p-values and the Ising model", {}};
  for (const auto& picture : document.at("pictures"))
    pictures.blocks.push_back({.image = picture.get<std::string>()});
  pictures.blocks.push_back(
      {.note = "p-values of a good generator lie on the line. A test rejects below 10⁻⁶ and above "
               "1 − 10⁻⁶. R250, in red, must be off."});
  if (!document.at("pictures").empty()) page.sections.push_back(pictures);
  for (const auto& group : document.at("groups"))
    page.sections.push_back(
        {group.at("name"),
         {{.table = overlay::table_of(group.at("checks"),
                                      {{"Claim", "claim"},
                                       {"Verdict", "verdict"},
                                       {"Result", "said"},
                                       {"Time, s", "seconds", overlay::JsonColumn::As::significant},
                                       {"Command", "command", overlay::JsonColumn::As::code}})}}});
  page.footer = "Made by overlay validate. What each claim means: validation/README.md.";
  return overlay::page_html(page);
}

std::vector<std::string> draw_pictures(const std::filesystem::path& json, const std::filesystem::path& folder,
                                       std::string& why) {
  why = support::run_plot_script(kValidationPictures, {json.string(), folder.string()});
  std::vector<std::string> made;
  if (!why.empty()) return made;
  for (const char* name : {"p-values.png", "ising.png"})
    if (std::filesystem::exists(folder / name)) made.emplace_back(name);
  return made;
}

}  // namespace validation
