// One short run of a proof: see the header.
#include "overlay/prove/proof_run.hpp"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "overlay/identity/identity.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/run/program_summary.hpp"
#include "overlay/run/runner.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

constexpr const char* kWho = "cherenkov: ";
constexpr const char* kEqual = "cherenkov: check equal:";
constexpr const char* kDifference = "check: step ";
constexpr int kOffEvery = 8, kGpuEvery = 3;  // runs

using Environment = std::map<std::string, std::string>;

/// Why the outputs of two runs are not the same; empty where they are.
std::string output_difference(const RunResult& a, const RunResult& b) {
  const Identity identity =
      compare_folders(a.folder, b.folder, {a.first_date, a.last_date}, {b.first_date, b.last_date});
  if (identity.identical) return {};
  return identity.reasons.empty() ? identity.could_not_compare : identity.reasons.front();
}

/// One of the patched program's runs of a card, set against the reference.
struct Trial {
  const char* name;   ///< of its folder, and of its CPU time
  const char* whose;  ///< outputs: for the reason
  Environment environment;
};

}  // namespace

std::map<std::string, std::uint64_t> check_counts(const std::string& errors) {
  std::map<std::string, std::uint64_t> counts;
  const auto summary = parse_summary(errors, kEqual, "steps");
  if (!summary) return counts;
  for (const auto& [name, text] : summary->values)
    if (const auto value = summary->number(name); value && name != "every") counts[name] = *value;
  return counts;
}

std::string check_difference(const std::string& errors) {
  for (auto at = errors.find(kDifference); at != std::string::npos; at = errors.find(kDifference, at + 1)) {
    const auto begin = errors.rfind('\n', at) + 1;  // 0 where it is the first line
    if (errors.compare(begin, std::strlen(kWho), kWho) == 0)
      return errors.substr(begin, errors.find('\n', at) - begin);
  }
  return {};
}

ProofRun run_proof_card(const ProofPrograms& programs, const ProofCard& card, int number) {
  const bool odd = number % 2 != 0, gpu = programs.gpu && number % kGpuEvery == 1;
  const bool stock = programs.set.programs.contains("stock");
  const Trial off{"off", "the patched program without the stage", {{"CHERENKOV_BACKEND", "off"}}};
  std::vector<Trial> trials{
      {"check",
       "the checked program",
       {{"CHERENKOV_BACKEND", gpu ? "check-gpu" : "check"}, {"CHERENKOV_THREADS", odd ? "1" : "0"}}},
      {"stage",
       "the stage",
       {{"CHERENKOV_BACKEND", gpu ? "gpu" : "cpu"},
        {"CHERENKOV_THREADS", odd ? "0" : "1"},
        {"CHERENKOV_SUMMARY", "1"},
        {"CHERENKOV_UNPROVEN", "1"}}}};
  if (number % kOffEvery == 0 && stock) trials.push_back(off);
  const support::TemporaryFolder folder(programs.folder, "run");
  // Runs a build to its end, in a folder of its own. Throws as run_program() does.
  const auto run = [&](const char* build, const std::string& what, const Environment& environment) {
    RunSpec spec;
    spec.label = build;
    spec.executable = programs.set.programs.at(build).executable;
    // Tables beside a run folder are its own: EPOS adds to them.
    spec.folder = prepare_run_dir(programs.set, build, card.card, folder.path() / what / "run");
    spec.errors = folder.path() / what / "errors";
    spec.environment = environment;
    spec.timeout_s = programs.timeout_s;
    spec.check = programs.poll;
    spec.of_corsika = true;
    return run_program(spec);
  };
  ProofRun result;

  RunResult reference;
  try {
    reference = stock ? run("stock", "stock", {}) : run("patched", "reference", off.environment);
    // CORSIKA stops with status 0 where it does not like a value; its files are not whole then.
    result.reason = output_difference(reference, reference);
  } catch (const support::Error& problem) {
    result.reason = problem.what();
  }
  if (!result.reason.empty()) {
    result.outcome = ProofRun::Outcome::left_out;
    return result;
  }
  result.cpu_s["stock"] = reference.cpu_s();
  for (const Trial& trial : trials) {
    RunResult made;
    try {
      made = run("patched", trial.name, trial.environment);
    } catch (const support::Error& problem) {
      result.reason = problem.what();
    }
    const std::string errors = folder.read(fmt::format("{}/errors", trial.name));
    if (const auto line = check_difference(errors); !line.empty()) result.reason = line;
    if (result.reason.empty())
      if (const auto why = output_difference(reference, made); !why.empty())
        result.reason = fmt::format("{} leaves other outputs than stock: {}", trial.whose, why);
    if (!result.reason.empty()) {
      result.outcome = ProofRun::Outcome::different;
      for (const auto& [name, value] : trial.environment) result.repeat += name + "=" + value + " ";
      return result;
    }
    if (trial.name != std::string("off")) result.cpu_s[trial.name] = made.cpu_s();
    result.counts.merge(check_counts(errors));
    if (const auto summary = parse_summary(errors, "cherenkov:", "bunches");
        summary && trial.name == std::string("stage"))
      result.stage_bunches = summary->number("bunches").value_or(0) + summary->number("skipped").value_or(0);
  }
  return result;
}

}  // namespace overlay
