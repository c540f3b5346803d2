// Writes the manifest. The only unit here that knows JSON.
#include <map>
#include <nlohmann/json.hpp>

#include "corsika_patches/patch.h"

namespace corsika_patches {
namespace {

using Json = nlohmann::ordered_json;

Json routine_json(const RoutineRecord& routine) {
  Json out = {{"name", routine.name}, {"file", routine.file}, {"line", routine.line},
              {"rule", routine.rule}, {"kind", routine.kind}, {"action", routine.action}};
  if (!routine.reason.empty()) out["reason"] = routine.reason;
  if (!routine.conditions.empty()) out["conditions"] = routine.conditions;
  if (routine.action != "replaced") return out;
  out["include"] = routine.include;
  const auto& t = routine.traits;
  if (!routine.digest.empty()) {
    out["digest"] = routine.digest;
  } else {
    out["traits"] = {{"sequence", t.sequence}, {"conex", t.conex}, {"last", t.last}, {"zero", t.zero}};
    if (t.kind == "function") {
      out["traits"]["result"] = t.result;
      out["traits"]["reject"] = t.reject;
      out["traits"]["dummy"] = t.dummy;
      out["traits"]["entries"] = t.entries;
    }
  }
  return out;
}

Json stage_json(const InsertionRecord& stage) {
  const auto& plan = stage.insertions;
  Json out = {{"name", stage.rules},
              {"action", plan.left_out() ? "left out" : "inserted"},
              {"covered", plan.covered}};
  if (!plan.reason.empty()) out["reason"] = plan.reason;
  for (const auto& site : plan.sites) {
    Json entry = {{"rule", site.rule}, {"file", site.file}, {"line", site.line}};
    if (!site.include.empty()) entry["include"] = site.include;
    out["sites"].push_back(std::move(entry));
  }
  return out;
}

}  // namespace

std::string manifest_json(const PatchResult& result) {
  Json out;
  out["release"] = result.release.empty() ? Json(nullptr) : Json(result.release);
  out["routines"] = Json::array();
  for (const auto& routine : result.routines) out["routines"].push_back(routine_json(routine));
  out["stages"] = Json::array();
  for (const auto& stage : result.stages) {
    out["stages"].push_back(stage_json(stage));
  }
  out["files"] = Json::array();
  for (const auto& file : result.files)
    out["files"].push_back(
        {{"path", file.path}, {"sha256_before", file.sha256_before}, {"sha256_after", file.sha256_after}});
  std::size_t inlined = 0;
  std::map<std::string, int> reasons;
  Json sites = Json::array();
  for (const auto& site : result.sites) {
    Json entry = {{"unit", site.unit},
                  {"file", site.file},
                  {"line", site.line},
                  {"action", site.inlined ? "inlined" : "left"}};
    if (site.inlined) {
      ++inlined;
      entry["length"] = site.length;
      entry["sequence"] = site.sequence;
      entry["elements"] = site.elements;
    } else {
      entry["reason"] = site.reason;
      ++reasons[site.reason];
    }
    sites.push_back(std::move(entry));
  }
  out["sites_summary"] = {
      {"inlined", inlined}, {"left", result.sites.size() - inlined}, {"reasons", reasons}};
  out["sites"] = std::move(sites);
  out["left_alone"] = Json::array();
  for (const auto& left : result.left_alone)
    out["left_alone"].push_back({{"file", left.file}, {"what", left.what}});
  out["sources"] = Json::array();
  for (const auto& source : result.sources)
    out["sources"].push_back({{"path", source.path}, {"sha256", source.sha256}});
  out["notes"] = result.notes;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace corsika_patches
