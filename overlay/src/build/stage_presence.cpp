// Tells from the preprocessed sources of a patched build whether the Cherenkov stage is called. Reads only.
#include "overlay/build/stage_presence.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "overlay/build/coconut.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

json read_json(const fs::path& file) {
  try {
    return json::parse(support::read_file(file));
  } catch (const json::exception& problem) {
    throw support::Error(fmt::format("{} is not readable: {}; build again", file.string(), problem.what()));
  }
}

/// Options that the program was compiled with: coconut's, with those that it added, or the stand-in's.
std::set<std::string> options_of(const fs::path& tree, const json& settings) {
  const auto names = settings.value("standin", false) ? settings.at("options").get<std::vector<std::string>>()
                                                      : selected_options(tree);
  return {names.begin(), names.end()};
}

std::string among(const std::set<std::string>& options, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const auto& name : names)
    if (options.contains(name)) found.push_back(name);
  if (found.empty()) return "";
  return (found.size() == 1 ? "option " : "options ") + support::join(found, ", ");
}

/// Why nothing is called; fortran-bindings/include/cherenkov_cerenk.inc holds the conditions.
std::string why_left_out(const std::set<std::string>& options, const json& settings, const json& manifest) {
  if (!options.contains("CERENKOV")) return "option CERENKOV is not chosen: there is no Cherenkov light";
  for (const char* needed : {"IACT", "ATMEXT"})
    if (!options.contains(needed)) return fmt::format("option {} is not chosen", needed);
  if (const auto others = among(options, {"CURVED", "THIN", "UPWARD", "IACTEXT"}); !others.empty())
    return others + (others.starts_with("options") ? " are not covered" : " is not covered");
  const auto environment = settings.value("environment", json::object());
  if (environment.value("CPPFLAGS", std::string()).find("__CHERENKOVLIB__") == std::string::npos)
    return "the compilers fuse operations with these flags; --flags \"-O2 -ffp-contract=off\" has it";
  for (const auto& stage : manifest.value("stages", json::array()))
    if (stage.value("action", std::string()) == "left out")
      return stage.value("reason", std::string("no reason given"));
  return "its lines are not in this release's CERENK";
}

std::string why_bunch_by_bunch(const std::set<std::string>& options) {
  const auto names = among(options, {"CEFFIC", "CERWLEN", "AUGCERLONG", "NOCLONG"});
  if (!names.empty()) return names;
  if (!options.contains("SLANT")) return "without option SLANT in a release whose CERLDE is not known";
  return "this release's CERENK is not known";
}

}  // namespace

std::string StagePresence::text() const {
  if (kind == Kind::kWholeLoop) return "whole loop";
  return fmt::format("{}: {}", kind == Kind::kBunchByBunch ? "bunch by bunch" : "left out", reason);
}

StagePresence stage_of_build(const fs::path& folder) {
  const auto tree = folder / "tree";
  const auto settings = read_json(folder / "settings.json");
  const auto manifest = read_json(folder / "manifest.json");
  const auto options = options_of(tree, settings);
  const auto compiled = support::read_file(tree / "src" / "corsikacompilefile.f");
  if (compiled.find("CALL CHRSTP") != std::string::npos) return {StagePresence::Kind::kWholeLoop, ""};
  if (compiled.find("CALL CHRBUN") != std::string::npos)
    return {StagePresence::Kind::kBunchByBunch, why_bunch_by_bunch(options)};
  return {StagePresence::Kind::kLeftOut, why_left_out(options, settings, manifest)};
}

}  // namespace overlay
