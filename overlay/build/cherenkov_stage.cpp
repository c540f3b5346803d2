// Tells from the compiled source and the manifest of a patched build what the Cherenkov stage does in it.
// Reads only.
#include "overlay/build/cherenkov_stage.hpp"

#include <algorithm>

#include "overlay/build/steps.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

/// Throws filesystem_error where a folder cannot be read: without its sources the digest would be another.
bool holds_objects(const fs::path& folder) {
  return fs::exists(folder) &&
         std::any_of(fs::directory_iterator(folder), fs::directory_iterator(),
                     [](const fs::directory_entry& entry) { return entry.path().extension() == ".o"; });
}

json manifest_in(const std::string& text) try {
  return json::parse(text);
} catch (const json::exception& problem) {
  throw support::Error("the patcher's manifest is not readable: {}; build again", problem.what());
}

}  // namespace

std::string CherenkovStage::text() const {
  if (!is_covered()) return "not covered: " + reason;
  auto out = fmt::format("{}, {}", covered == "whole" ? "whole loop" : "bunch by bunch", why);
  return reason.empty() ? out : out + ": " + reason;
}

CherenkovStage stage_of_build(const fs::path& folder, bool asked) {
  CherenkovStage stage;
  std::string covered = "none";
  const json patched = manifest_in(support::read_file(folder / "manifest.json"));
  for (const json& each : patched.value("stages", json::array()))
    if (each.value("name", std::string()) == "cherenkov") {
      covered = each.value("covered", std::string("none"));
      stage.reason = each.value("reason", std::string());
    }
  if (covered == "none") return stage;
  const auto compiled = support::read_file(folder / "tree" / "src" / "corsikacompilefile.f");
  if (compiled.find("SUBROUTINE CHRINI") == std::string::npos) {
    stage.reason =
        asked ? "the compiled source does not call it; build again in another folder, with --out"
              : "the compilers fuse operations with these flags; --flags \"-O2 -ffp-contract=off\" has it";
    return stage;
  }
  stage.covered = covered;
  stage.sources = first_line_of(folder / kSourcesDigest);
  stage.works = is_known(stage.sources);
  stage.why = stage.works ? "known" : "not proven (overlay prove --cherenkov does that)";
  return stage;
}

std::string sources_digest(const std::string& manifest, const fs::path& tree) {
  const json patched = manifest_in(manifest);
  std::string text;
  try {
    for (const json& each : patched.at("sources")) {
      const auto path = each.at("path").get<std::string>();
      const auto folder = fs::path(path).parent_path();
      if (folder == "include" || holds_objects(tree / folder))
        text += path + " " + each.at("sha256").get<std::string>() + "\n";
    }
  } catch (const json::exception& problem) {
    throw support::Error("the patcher's manifest lists no sources: {}", problem.what());
  }
  return support::sha256_of_text(text);
}

bool is_known(const std::string& sources) {
  const auto list = support::Toml::read(profiles_folder() / "known-sources.toml");
  for (const auto& entry : list["sources"].list())
    if (entry["sha256"].text() == sources) return true;
  return false;
}

}  // namespace overlay
