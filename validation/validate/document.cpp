// validation.json, its page and its pictures. The only unit here that includes the JSON library.
#include "document.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "overlay/report/page_document.hpp"
#include "overlay/report/page_template.hpp"
#include "overlay/report/page_values.hpp"
#include "support/machine.hpp"
#include "support/python.hpp"

namespace validation {

extern const char* const kValidationPage;      // made from page.html
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

std::string to_page(const std::string& json) {
  const overlay::PageDocument document(json);
  const auto picture = [](const overlay::PageDocument& from, const std::string& pointer) {
    return "<img alt=\"\" style=\"max-width:100%\" src=\"" + from.text(pointer) + "\">";
  };
  const auto rows = [](const overlay::PageDocument& from, const std::string& group) {
    std::string html;
    for (const auto& check : from.children(group + "/checks")) {
      const std::string verdict = from.text(check + "/verdict");
      const char* style = verdict == "holds" ? "yes" : verdict == "fails" ? "no" : "none";
      html += "<tr><td>" + overlay::show_text(from, check + "/claim") + "</td><td class=\"" + style + "\">" +
              overlay::show_text(from, check + "/verdict") + "</td><td class=\"reason\">" +
              overlay::show_text(from, check + "/said") + "</td><td class=\"number\">" +
              overlay::show_fixed(from, check + "/seconds", 1) + "</td><td><code>" +
              overlay::show_text(from, check + "/command") + "</code></td></tr>\n";
    }
    return html;
  };
  return overlay::fill_template(kValidationPage, document, {{"picture", picture}, {"rows", rows}});
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
