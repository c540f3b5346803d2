// Where proofs are kept: beside the builds, and in the user's own list. Writes and deletes files of proofs
// alone.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "overlay/proof/proof.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// Files of the user's own list, by name.
std::vector<fs::path> own_files() {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(own_proofs(), error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".json") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

/// The same name for proofs of the same routines in the same build.
std::string name_of(const Proof& proof) {
  Proof what;
  what.conditions = proof.conditions;
  what.routines = proof.routines;
  return "cherenkov-" + support::sha256_of_text(proof_text(what)).substr(0, 16) + ".json";
}

bool is_the_same(const fs::path& file, const Proof& proof) {
  try {
    return name_of(read_proof(file)) == name_of(proof);
  } catch (const support::Error&) {
    return false;
  }
}

}  // namespace

fs::path proof_beside(const fs::path& folder) { return folder / "cherenkov-proof.json"; }

fs::path own_proofs() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  if (set("XDG_CONFIG_HOME")) return fs::path(std::getenv("XDG_CONFIG_HOME")) / "overlay" / "proofs";
  if (set("HOME")) return fs::path(std::getenv("HOME")) / ".config" / "overlay" / "proofs";
  return {};
}

std::vector<fs::path> proofs_for(const ProofConditions& conditions, const fs::path& folder) {
  std::vector<fs::path> files{proof_beside(folder)}, fitting;
  const auto own = own_files();
  files.insert(files.end(), own.begin(), own.end());
  for (const auto& file : files) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) continue;
    try {
      if (holds_for(read_proof(file), conditions)) fitting.push_back(file);
    } catch (const support::Error&) {
    }
  }
  return fitting;
}

fs::path remember(const Proof& proof) {
  const auto folder = own_proofs();
  if (folder.empty())
    throw support::Error("there is no folder for your own proofs; set XDG_CONFIG_HOME or HOME");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw support::Error(
        fmt::format("cannot make {} ({}); set XDG_CONFIG_HOME to a folder that you may write to",
                    folder.string(), error.message()));
  const auto file = folder / name_of(proof);
  support::write_file(file, proof_text(proof));
  return file;
}

void forget(const Proof& proof, const fs::path& folder) {
  std::vector<fs::path> files = own_files();
  files.push_back(proof_beside(folder));
  for (const auto& file : files) {
    std::error_code ignored;
    if (is_the_same(file, proof)) fs::remove(file, ignored);
  }
}

}  // namespace overlay
