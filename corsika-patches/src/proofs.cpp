// Reads proofs from JSON.
#include "corsika_patches/proofs.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "corsika_patches/text_file.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

Proof read_one(const nlohmann::json& entry, const std::string& file) {
  const auto refuse = [&](const char* why) {
    throw support::Error(
        fmt::format("{}: {}; give --proven a file that overlay prove --cherenkov wrote", file, why));
  };
  if (!entry.is_object() || entry.value("cherenkov_proof", nlohmann::json()) != 1) refuse("this is no proof");
  if (entry.value("result", std::string()) != "equal") refuse("this proof did not end equal");
  Proof proof;
  proof.file = file;
  proof.routines = entry.at("routines").get<std::map<std::string, std::string>>();
  for (const auto& name : entry.at("options").get<std::vector<std::string>>())
    proof.options.insert(name.starts_with("__") ? name : "__" + name + "__");
  if (!entry.at("steps").is_number_unsigned()) refuse("this proof has no number of steps");
  proof.steps = entry.at("steps").get<std::uint64_t>();
  if (proof.steps == 0 || proof.routines.empty()) refuse("this proof compared nothing");
  return proof;
}

}  // namespace

std::vector<Proof> read_proofs(const std::filesystem::path& file) {
  const auto text = read_bytes(file);
  std::vector<Proof> out;
  try {
    const auto document = nlohmann::json::parse(text);
    if (document.is_array())
      for (const auto& entry : document) out.push_back(read_one(entry, file.string()));
    else
      out.push_back(read_one(document, file.string()));
  } catch (const nlohmann::json::exception& problem) {
    throw support::Error(
        fmt::format("{} is not readable: {}; give --proven a file that overlay prove --cherenkov wrote",
                    file.string(), problem.what()));
  }
  return out;
}

}  // namespace corsika_patches
