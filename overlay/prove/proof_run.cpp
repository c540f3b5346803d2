// One short run of a proof: see the header.
#include "overlay/prove/proof_run.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>

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

std::string text_of(const Environment& environment) {
  std::string text;
  for (const auto& [name, value] : environment) text += name + "=" + value + " ";
  return text;
}

/// The runs of one card, each in a folder of its own.
class Variants {
 public:
  Variants(const ProofPrograms& programs, const ProofCard& run)
      : programs_(programs), run_(run), folder_(programs.folder, "run") {}

  /// Runs a build to its end. Throws as run_program() does.
  RunResult run(const std::string& build, const std::string& what, const Environment& environment) {
    RunSpec spec;
    spec.label = build;
    spec.executable = programs_.set.programs.at(build).executable;
    // Tables beside a run folder are its own: EPOS adds to them.
    spec.folder = prepare_run_dir(programs_.set, build, run_.card, folder_.path() / what / "run");
    spec.errors = folder_.path() / what / "errors";
    spec.environment = environment;
    spec.timeout_s = programs_.timeout_s;
    spec.check = programs_.poll;
    spec.end = kEndOfRun;
    return run_program(spec);
  }

  std::string errors(const std::string& what) const { return folder_.read(what + "/errors"); }

  /// Why the outputs of two runs are not the same; empty where they are.
  std::string difference(const RunResult& a, const RunResult& b) const {
    const Identity identity =
        compare_folders(a.folder, b.folder, {a.first_date, a.last_date}, {b.first_date, b.last_date});
    if (identity.identical) return {};
    return identity.reasons.empty() ? identity.could_not_compare : identity.reasons.front();
  }

 private:
  const ProofPrograms& programs_;
  const ProofCard& run_;
  support::TemporaryFolder folder_;
};

/// Runs; what went wrong where that is the program's fault, not the user's who ends it.
std::optional<std::string> failure_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const support::Error& problem) {
    return problem.what();
  }
  return std::nullopt;
}

ProofRun different(const std::string& reason, const Environment& repeat) {
  ProofRun result;
  result.outcome = ProofRun::Outcome::different;
  result.reason = reason;
  result.repeat = text_of(repeat);
  return result;
}

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

ProofRun run_proof_card(const ProofPrograms& programs, const ProofCard& run, int number) {
  const bool odd = number % 2 != 0, gpu = programs.gpu && number % kGpuEvery == 1;
  const Environment off{{"CHERENKOV_BACKEND", "off"}};
  const Environment check{{"CHERENKOV_BACKEND", gpu ? "check-gpu" : "check"},
                          {"CHERENKOV_THREADS", odd ? "1" : "0"}};
  const Environment on{{"CHERENKOV_BACKEND", gpu ? "gpu" : "cpu"},
                       {"CHERENKOV_THREADS", odd ? "0" : "1"},
                       {"CHERENKOV_SUMMARY", "1"},
                       {"CHERENKOV_UNPROVEN", "1"}};
  Variants variants(programs, run);
  ProofRun result;

  RunResult reference;
  const bool stock = programs.has_stock();
  if (const auto refused = failure_of([&] {
        reference = stock ? variants.run("stock", "stock", {}) : variants.run("patched", "off", off);
        // CORSIKA stops with status 0 where it does not like a value; its files are not whole then.
        if (const auto why = variants.difference(reference, reference); !why.empty())
          throw support::Error(why);
      })) {
    result.outcome = ProofRun::Outcome::left_out;
    result.reason = *refused;
    return result;
  }

  RunResult checked;
  const auto failed = failure_of([&] { checked = variants.run("patched", "check", check); });
  if (const auto line = check_difference(variants.errors("check")); !line.empty())
    return different(line, check);
  if (failed) return different(*failed, check);
  result.counts = check_counts(variants.errors("check"));
  result.cpu_s = {{"stock", reference.cpu_s()}, {"check", checked.cpu_s()}};
  if (const auto why = variants.difference(reference, checked); !why.empty())
    return different("the checked program leaves other outputs than stock: " + why, check);

  RunResult taken;
  if (const auto why = failure_of([&] { taken = variants.run("patched", "on", on); }))
    return different(*why, on);
  result.cpu_s["stage"] = taken.cpu_s();
  if (const auto why = variants.difference(reference, taken); !why.empty())
    return different("the stage leaves other outputs than stock: " + why, on);
  if (const auto summary = parse_summary(variants.errors("on"), "cherenkov:", "bunches"))
    result.stage_bunches = summary->number("bunches").value_or(0) + summary->number("skipped").value_or(0);

  if (number % kOffEvery == 0 && stock) {
    RunResult left;
    if (const auto why = failure_of([&] { left = variants.run("patched", "off", off); }))
      return different(*why, off);
    if (const auto why = variants.difference(reference, left); !why.empty())
      return different("the patched program without the stage leaves other outputs than stock: " + why, off);
  }
  return result;
}

}  // namespace overlay
