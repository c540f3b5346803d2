// Tells from the compiled source and the manifest of a patched build what the Cherenkov stage does in it.
// Reads only.
#include "overlay/build/cherenkov_stage.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "overlay/build/profile.hpp"
#include "overlay/build/steps.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/toml.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

json read_json(const std::string& text, const std::string& name) {
  try {
    return json::parse(text);
  } catch (const json::exception& problem) {
    throw support::Error(fmt::format("{} is not readable: {}; build again", name, problem.what()));
  }
}

/// Stems of the objects in a folder, without the prefixes that automake gives them.
std::set<std::string> compiled_in(const fs::path& folder) {
  std::set<std::string> stems;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".o") continue;
    auto stem = entry.path().stem().string();
    if (const auto end = stem.rfind("compilefile"); end != std::string::npos) stem = stem.substr(0, end);
    stems.insert(stem);
    // A name may have a dash itself: each part behind one may be the source's.
    for (auto at = stem.find('-'); at != std::string::npos; at = stem.find('-', at + 1))
      stems.insert(stem.substr(at + 1));
  }
  return stems;
}

}  // namespace

std::string CherenkovStage::text() const {
  if (!is_covered()) return "not covered: " + reason;
  auto out = fmt::format("{}, {}", covered == Covered::kWholeLoop ? "whole loop" : "bunch by bunch", why);
  return reason.empty() ? out : out + ": " + reason;
}

CherenkovStage stage_of_build(const fs::path& folder) {
  const auto manifest = folder / "manifest.json";
  CherenkovStage stage;
  std::string covered = "none";
  const json patched = read_json(support::read_file(manifest), manifest.string());
  for (const json& each : patched.value("stages", json::array()))
    if (each.value("name", std::string()) == "cherenkov") {
      covered = each.value("covered", std::string("none"));
      stage.reason = each.value("reason", std::string());
    }
  if (covered == "none") return stage;
  const auto compiled = support::read_file(folder / "tree" / "src" / "corsikacompilefile.f");
  if (compiled.find("CALL CHRRUN") == std::string::npos) {
    const auto name = folder / "settings.json";
    const auto settings = read_json(support::read_file(name), name.string());
    const auto environment = settings.value("environment", json::object());
    stage.reason =
        environment.value("CPPFLAGS", std::string()).find("__CHERENKOVLIB__") == std::string::npos
            ? "the compilers fuse operations with these flags; --flags \"-O2 -ffp-contract=off\" has it"
            : "the compiled source does not call it; build again in another folder, with --out";
    return stage;
  }
  stage.covered =
      covered == "whole" ? CherenkovStage::Covered::kWholeLoop : CherenkovStage::Covered::kBunchByBunch;
  stage.sources = first_line_of(folder / kSourcesDigest);
  stage.works = is_known(stage.sources);
  stage.why = stage.works ? "known" : "not proven (overlay prove --cherenkov does that)";
  return stage;
}

std::string sources_digest(const std::string& manifest, const fs::path& tree) {
  struct Source {
    fs::path path;
    std::string sha256;
    bool included;
  };
  std::vector<Source> sources;
  std::map<fs::path, std::set<std::string>> compiled;  // by folder
  std::set<fs::path> folders{"include"};               // with a compiled source
  const json patched = read_json(manifest, "the patcher's manifest");
  try {
    for (const json& each : patched.at("sources"))
      sources.push_back({each.at("path").get<std::string>(), each.at("sha256"), each.at("included")});
  } catch (const json::exception& problem) {
    throw support::Error(fmt::format("the patcher's manifest lists no sources: {}", problem.what()));
  }
  const auto is_compiled = [&](const Source& source) {
    const auto folder = source.path.parent_path();
    if (!compiled.contains(folder)) compiled[folder] = compiled_in(tree / folder);
    return compiled[folder].contains(source.path.stem());
  };
  for (const auto& source : sources)
    if (is_compiled(source)) folders.insert(source.path.parent_path());
  std::string text;
  for (const auto& source : sources)
    if (is_compiled(source) || (source.included && folders.contains(source.path.parent_path())))
      text += source.path.string() + " " + source.sha256 + "\n";
  return support::sha256_of_text(text);
}

bool is_known(const std::string& sources) {
  const auto list = support::Toml::read(profiles_folder() / "known-sources.toml");
  for (const auto& entry : list["sources"].list())
    if (entry["sha256"].text() == sources) return true;
  return false;
}

}  // namespace overlay
