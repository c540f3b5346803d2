// Proofs as text, and when one holds: see the header. The only unit of this folder that knows JSON.
#include "overlay/proof/proof.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace {

using nlohmann::json;

constexpr int kForm = 2;  // of the file

std::set<std::string> set_of(const std::vector<std::string>& words) { return {words.begin(), words.end()}; }

}  // namespace

std::string proof_text(const Proof& proof) {
  json runs = json::array();
  for (const ProvenRun& run : proof.runs)
    runs.push_back({{"name", run.name}, {"steps", run.steps}, {"card", run.card}});
  const ProofConditions& conditions = proof.conditions;
  const json text{{"cherenkov_proof", kForm},
                  {"result", proof.failure.empty() ? "equal" : proof.failure},
                  {"corsika", proof.corsika},
                  {"stage", conditions.stage},
                  {"sources", conditions.sources},
                  {"covered", proof.covered},
                  {"options", set_of(proof.selected)},
                  {"options_asked", set_of(conditions.options)},
                  {"compiler", conditions.compiler},
                  {"flags", {{"fflags", conditions.fflags}, {"cflags", conditions.cflags}}},
                  {"libm", proof.libm},
                  {"processor", proof.processor},
                  {"made", proof.made},
                  {"steps", proof.steps},
                  {"kinds", proof.kinds},
                  {"cpu_s", proof.cpu_s},
                  {"runs", runs}};
  // A card of the user's may hold any bytes.
  return text.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Proof read_proof(const std::filesystem::path& file) {
  const support::Error no_proof(fmt::format(
      "{} is no proof of the Cherenkov stage; make it anew with overlay prove --cherenkov", file.string()));
  const auto count_of = [&](const json& value) {  // json itself would make one of any number
    if (!value.is_number_unsigned()) throw no_proof;
    return value.get<std::uint64_t>();
  };
  try {
    const json text = json::parse(support::read_file(file));
    if (text.at("cherenkov_proof") != kForm) throw no_proof;
    Proof proof;
    if (text.at("result") != "equal") proof.failure = text.at("result");
    proof.corsika = text.value("corsika", std::string());
    proof.conditions.stage = text.at("stage");
    proof.conditions.sources = text.at("sources");
    proof.covered = text.at("covered");
    proof.selected = text.at("options").get<std::vector<std::string>>();
    proof.conditions.options = text.at("options_asked").get<std::vector<std::string>>();
    proof.conditions.compiler = text.at("compiler");
    proof.conditions.fflags = text.at("flags").at("fflags");
    proof.conditions.cflags = text.at("flags").at("cflags");
    proof.libm = text.value("libm", std::string());
    proof.processor = text.value("processor", std::string());
    proof.made = text.value("made", std::string());
    proof.steps = count_of(text.at("steps"));
    for (const auto& [kind, count] : text.at("kinds").get<std::map<std::string, json>>())
      proof.kinds[kind] = count_of(count);
    proof.cpu_s = text.value("cpu_s", std::map<std::string, double>());
    for (const json& run : text.at("runs"))
      proof.runs.push_back({run.at("name"), run.at("card"), count_of(run.at("steps"))});
    return proof;
  } catch (const json::exception&) {
    throw no_proof;
  }
}

bool holds_for(const Proof& proof, const ProofConditions& conditions) {
  const ProofConditions& proven = proof.conditions;
  return (proof.steps > 0 || !proof.failure.empty()) && !proven.sources.empty() &&
         proven.sources == conditions.sources && proven.stage == conditions.stage &&
         proven.compiler == conditions.compiler && proven.fflags == conditions.fflags &&
         proven.cflags == conditions.cflags && set_of(proven.options) == set_of(conditions.options);
}

}  // namespace overlay
