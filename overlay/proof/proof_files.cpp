// Where proofs are kept: beside the builds, and in the user's own list. Writes files of proofs alone.
#include <fmt/format.h>

#include <cstdlib>

#include "overlay/proof/proof.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// The user's own list; empty where there is no home.
fs::path own_proofs() {
  const auto folder = [](const char* name, const char* below) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? fs::path(value) / below : fs::path();
  };
  const auto set = folder("XDG_CONFIG_HOME", "overlay/proofs");
  return set.empty() ? folder("HOME", ".config/overlay/proofs") : set;
}

/// Files for proofs of such a build, the one beside the builds first.
std::vector<fs::path> files_for(ProofConditions conditions, const fs::path& folder) {
  std::vector<fs::path> files{folder / "cherenkov-proof.json"};
  Proof what;
  what.conditions = std::move(conditions);
  if (const auto own = own_proofs(); !own.empty())
    files.push_back(own / ("cherenkov-" + support::sha256_of_text(proof_text(what)).substr(0, 16) + ".json"));
  return files;
}

}  // namespace

std::optional<Proof> proof_for(const ProofConditions& conditions, const fs::path& folder) {
  for (const auto& file : files_for(conditions, folder)) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) continue;
    try {
      if (auto proof = read_proof(file); holds_for(proof, conditions)) return proof;
    } catch (const support::Error&) {
    }
  }
  return std::nullopt;
}

fs::path remember(const Proof& proof, const fs::path& folder) {
  const auto files = files_for(proof.conditions, folder);
  support::write_file(files.front(), proof_text(proof));
  if (files.size() > 1) try {
      fs::create_directories(files.back().parent_path());
      support::write_file(files.back(), proof_text(proof));
    } catch (const std::exception&) {  // the one beside the builds is enough
    }
  return files.front();
}

}  // namespace overlay
