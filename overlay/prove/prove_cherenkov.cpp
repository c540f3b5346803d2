// From a build to its proof, and to the program with the stage at work. Writes beside the builds, and in the
// user's own list of proofs.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <cstdio>
#include <ctime>

#include "overlay/build/coconut.hpp"
#include "overlay/card/card.hpp"
#include "overlay/prove/prove.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

constexpr const char* kWhole = "whole";

void fill_in(Proof& proof, const BuildSet& set) {
  proof.conditions = set.conditions;
  proof.covered = set.cherenkov_stage.covered == CherenkovStage::Covered::kWholeLoop ? kWhole : "bunches";
  proof.corsika = set.corsika_version;
  proof.selected = set.standin ? set.profile.options : selected_options(set.patched_tree);
  proof.libm = fmt::format("glibc {}", gnu_get_libc_version());
  proof.processor = support::describe_machine().cpu;
  proof.made = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

/// Words of the card's SEED lines, by commas.
std::string seeds_of(const std::string& card_text) {
  std::string seeds;
  const Card card(card_text);
  for (const CardLine& line : card.lines())
    if (line.keyword == "SEED") seeds += (seeds.empty() ? "" : ", ") + card_word(line.rest, 1);
  return seeds;
}

/// Leaves the card and the data files of a run that differs beside the builds; returns the folder.
fs::path keep_difference(const BuildSet& set, const ProofResult& result) {
  const auto folder = set.builds / ("cherenkov-difference-" + support::random_name(3));
  return prepare_run_dir(set, "patched", result.card, folder / "run");
}

/// Proves and remembers what came of it; says the first and the last of three lines.
ProofResult prove_and_remember(const BuildSet& set, const ProofOptions& options) {
  ProofResult result;
  fill_in(result.proof, set);
  fmt::print(stderr,
             "overlay: proving the Cherenkov stage on these sources: {:.2g} steps with light, some minutes "
             "(--no-prove leaves the stage off)\n",
             static_cast<double>(options.steps));
  try {
    const auto covered = result.proof.covered;
    result = prove_programs(set, covered, options, [] { support::check_interrupt(); });
    fill_in(result.proof, set);
    if (!result.equal)
      result.proof.failure =
          result.run.empty() ? result.difference : fmt::format("run {}: {}", result.run, result.difference);
  } catch (const support::Error& problem) {
    if (support::disk_is_full(set.out, problem.what())) throw;
    result.proof.failure = problem.what();
  }
  remember(result.proof, set.builds);
  if (result.equal)
    fmt::print(stderr, "overlay: proven: {} steps of {} runs equal{}\n", result.proof.steps,
               result.proof.runs.size(),
               result.left_out > 0 ? fmt::format("; {} cards left out", result.left_out) : "");
  else
    fmt::print(stderr,
               "overlay: not proven, so the stage stays off: {}; overlay prove --cherenkov repeats it\n",
               result.proof.failure);
  return result;
}

/// How a difference repeats.
void print_repeat(const BuildSet& set, const ProofResult& result) {
  if (result.run.empty()) return;
  const auto folder = keep_difference(set, result);
  fmt::print("It repeats (seeds {}): cd {} && {}{} < card > log\n", seeds_of(result.card), folder.string(),
             result.repeat, set.programs.at("patched").executable.string());
}

void print_proof(const BuildSet& set, const Proof& proof) {
  std::string kinds;
  for (const auto& [kind, number] : proof.kinds)
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", kind, number);
  const auto seconds = [&](const char* what) {
    const auto found = proof.cpu_s.find(what);
    return found == proof.cpu_s.end() ? 0. : found->second;
  };
  fmt::print("Proven: {} steps of {} runs equal ({})\n", proof.steps, proof.runs.size(), kinds);
  fmt::print("CPU time of the runs: stock {:.1f} s, checked {:.1f} s, with the stage {:.1f} s\n",
             seconds("stock"), seconds("check"), seconds("stage"));
  fmt::print("Sources: {}\n", set.conditions.sources);
}

}  // namespace

BuildSet build_proven(BuildRequest request, const std::vector<std::string>& which) {
  auto set = build_profile(request, which);
  const auto& stage = set.cherenkov_stage;
  if (!stage.is_covered() || stage.works || !request.prove || proof_for(set.conditions, set.builds))
    return set;
  request.quiet = true;
  ProofOptions options;
  options.steps = request.prove_steps;
  options.jobs = request.jobs;
  prove_and_remember(build_profile(request, {"stock", "patched"}), options);
  return build_profile(request, which);
}

int prove_cherenkov(BuildRequest request, const ProofOptions& options) {
  const BuildSet set = build_profile(request, {"stock", "patched"});
  if (!set.cherenkov_stage.is_covered())
    throw support::Error("there is nothing to prove: the Cherenkov stage is {}", set.cherenkov_stage.text());
  const ProofResult result = prove_and_remember(set, options);
  request.quiet = true;
  build_profile(request, {"patched"});
  if (result.equal)
    print_proof(set, result.proof);
  else
    print_repeat(set, result);
  return result.equal ? 0 : 1;
}

}  // namespace overlay
