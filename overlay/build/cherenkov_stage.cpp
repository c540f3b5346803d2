// Tells from the compiled source and the manifest of a patched build what the Cherenkov stage does in it;
// proofs as text, when one holds, and where they are kept.
#include "overlay/build/cherenkov_stage.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>

#include "overlay/build/profile.hpp"
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

auto conditions_of(const Proof& proof) {
  return std::tie(proof.stage, proof.sources, proof.options, proof.compiler, proof.flags);
}

/// Files for proofs of such a build: the one beside the builds, and one of the user's own where there is a
/// home.
std::vector<fs::path> files_for(const Proof& wanted, const fs::path& folder) {
  const auto conditions = fmt::format("{}", fmt::join(conditions_of(wanted), "\n"));
  const auto name = "cherenkov-" + support::sha256_of_text(conditions).substr(0, 16) + ".json";
  for (const auto& [variable, below] :
       {std::pair{"XDG_CONFIG_HOME", "overlay/proofs"}, std::pair{"HOME", ".config/overlay/proofs"}})
    if (const char* home = std::getenv(variable); home != nullptr && *home != '\0')
      return {folder / "cherenkov-proof.json", fs::path(home) / below / name};
  return {folder / "cherenkov-proof.json"};
}

/// Whether profiles/known-sources.toml lists such a digest.
bool is_known(const std::string& sources) {
  const auto list = support::Toml::read(profiles_folder() / "known-sources.toml");
  return std::ranges::any_of(list["sources"].list(),
                             [&](const auto& entry) { return entry["sha256"].text() == sources; });
}

/// Whether a stage may work, and why, or why not.
std::pair<bool, std::string> verdict_on(const Proof& conditions, const fs::path& folder) {
  if (is_known(conditions.sources)) return {true, "known"};
  const auto proof = proof_for(conditions, folder);
  if (!proof) return {false, "not proven (overlay prove --cherenkov does that)"};
  if (!proof->failure.empty()) return {false, "not proven: " + proof->failure};
  return {true, fmt::format("proven ({} steps, {})", proof->steps, proof->made)};
}

}  // namespace

std::string CherenkovStage::text() const {
  if (!is_covered()) return "not covered: " + reason;
  auto out = fmt::format("{}, {}", covered == "whole" ? "whole loop" : "bunch by bunch", why);
  return reason.empty() ? out : out + ": " + reason;
}

CherenkovStage stage_of_build(const fs::path& folder, bool asked, Proof& conditions) try {
  CherenkovStage stage;
  std::string covered = "none";
  const json patched = json::parse(support::read_file(folder / "manifest.json"));
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
  conditions.sources = sources_digest(patched, folder / "tree");
  std::tie(stage.works, stage.why) = verdict_on(conditions, folder.parent_path());
  return stage;
} catch (const json::exception&) {
  throw support::Error("{} is not as the patcher wrote it; delete {} and build again",
                       (folder / "manifest.json").string(), folder.string());
}

std::string sources_digest(const json& manifest, const fs::path& tree) {
  std::string text;
  for (const json& each : manifest.at("sources")) {
    const auto path = each.at("path").get<std::string>();
    const auto folder = fs::path(path).parent_path();
    if (folder == "include" || holds_objects(tree / folder))
      text += path + " " + each.at("sha256").get<std::string>() + "\n";
  }
  return support::sha256_of_text(text);
}

std::string proof_text(const Proof& proof) {
  // A card of the user's may hold any bytes.
  return json(proof).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<Proof> read_proof(const fs::path& file, const Proof& wanted) try {
  if (wanted.sources.empty()) return std::nullopt;
  const json text = json_of(support::read_file(file));
  const Proof proof = text;
  // json takes any number for a whole one.
  const bool whole = text.at("steps").is_number_unsigned() && (proof.steps > 0 || !proof.failure.empty());
  return whole && conditions_of(proof) == conditions_of(wanted) ? std::optional(proof) : std::nullopt;
} catch (const json::exception&) {
  return std::nullopt;
} catch (const support::Error&) {
  return std::nullopt;
}

std::optional<Proof> proof_for(const Proof& wanted, const fs::path& folder) {
  for (const auto& file : files_for(wanted, folder))
    if (auto proof = read_proof(file, wanted)) return proof;
  return std::nullopt;
}

fs::path remember(const Proof& proof, const fs::path& folder) {
  const auto files = files_for(proof, folder);
  support::write_file(files.front(), proof_text(proof));
  if (files.size() > 1) try {
      fs::create_directories(files.back().parent_path());
      support::write_file(files.back(), proof_text(proof));
    } catch (const std::exception&) {  // the one beside the builds is enough
    }
  return files.front();
}

}  // namespace overlay
