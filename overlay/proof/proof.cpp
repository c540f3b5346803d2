// Proofs as text, when one holds, and where they are kept: see the header.
#include "overlay/proof/proof.hpp"

#include <cstdlib>
#include <set>

#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr int kForm = 2;  // of the file

json conditions_of(const Proof& proof) {
  return {
      {"cherenkov_proof", kForm},   {"stage", proof.stage},
      {"sources", proof.sources},   {"options_asked", std::set(proof.options.begin(), proof.options.end())},
      {"compiler", proof.compiler}, {"flags", {{"fflags", proof.flags}, {"cflags", proof.flags}}}};
}

/// Files for proofs of such a build: the one beside the builds, and one of the user's own where there is a
/// home.
std::vector<fs::path> files_for(const Proof& wanted, const fs::path& folder) {
  const auto name =
      "cherenkov-" + support::sha256_of_text(conditions_of(wanted).dump()).substr(0, 16) + ".json";
  for (const auto& [variable, below] :
       {std::pair{"XDG_CONFIG_HOME", "overlay/proofs"}, std::pair{"HOME", ".config/overlay/proofs"}})
    if (const char* home = std::getenv(variable); home != nullptr && *home != '\0')
      return {folder / "cherenkov-proof.json", fs::path(home) / below / name};
  return {folder / "cherenkov-proof.json"};
}

}  // namespace

std::string proof_text(const Proof& proof) {
  json text = conditions_of(proof);
  text.update({{"result", proof.failure.empty() ? "equal" : proof.failure},
               {"made", proof.made},
               {"steps", proof.steps},
               {"kinds", proof.kinds},
               {"cpu_s", proof.cpu_s},
               {"runs", proof.runs}});
  if (proof.more.is_object()) text.update(proof.more);
  // A card of the user's may hold any bytes.
  return text.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<Proof> read_proof(const fs::path& file, const Proof& wanted) {
  std::error_code error;
  if (wanted.sources.empty() || !fs::is_regular_file(file, error)) return std::nullopt;
  try {
    const json text = json::parse(support::read_file(file));
    const json conditions = conditions_of(wanted);
    for (const auto& [key, value] : conditions.items())
      if (text.at(key) != value) return std::nullopt;
    Proof proof = wanted;
    proof.failure = text.at("result") == "equal" ? "" : text.at("result");
    proof.made = text.value("made", std::string());
    const json& steps = text.at("steps");
    proof.steps =
        steps.is_number_unsigned() ? steps.get<std::uint64_t>() : 0;  // json takes any number for one
    if (proof.steps > 0 || !proof.failure.empty()) return proof;
  } catch (const json::exception&) {
  } catch (const support::Error&) {
  }
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
