// overlay prove --cherenkov, from the build to the proof's file. Writes beside the builds, and in the user's
// own list where that is asked for.
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

/// The builds to prove on: stock too, where it is built already.
BuildSet built_for_proof(const BuildRequest& request) {
  BuildSet set = build_profile(request, {"patched"});
  std::error_code error;
  if (!fs::is_regular_file(set.builds / "stock" / "program.txt", error)) return set;
  return build_profile(request, {"stock", "patched"});
}

void fill_in(Proof& proof, const BuildSet& set, const StageTrust& stage) {
  proof.conditions = set.conditions;
  proof.routines = stage.routines;
  proof.tier = stage.tier;
  proof.corsika = set.corsika_version;
  proof.selected = set.standin ? set.profile.options : selected_options(set.patched_tree);
  proof.libm = fmt::format("glibc {}", gnu_get_libc_version());
  proof.processor = support::describe_machine().cpu;
  proof.made = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
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

void print_difference(std::FILE* out, const BuildSet& set, const ProofResult& result) {
  if (result.run.empty()) {
    fmt::print(out, "Not proven: {}; ask for more steps with --steps\n", result.difference);
    return;
  }
  const auto folder = keep_difference(set, result);
  fmt::print(out, "Not proven, run {}\n{}\n", result.run, result.difference);
  fmt::print(out, "It repeats (seeds {}): cd {} && {}{} < card > log\n", seeds_of(result.card),
             folder.string(), result.repeat, set.programs.at("patched").executable.string());
}

void print_proof(std::FILE* out, const Proof& proof, const ProofResult& result, const fs::path& file) {
  std::string kinds;
  for (const auto& [kind, number] : proof.kinds)
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", kind, number);
  fmt::print(out, "Proven: {} steps of {} runs equal ({}){}\n", proof.steps, proof.runs.size(), kinds,
             result.left_out > 0 ? fmt::format("; {} runs left out", result.left_out) : "");
  const auto seconds = [&](const char* what) {
    const auto found = proof.cpu_s.find(what);
    return found == proof.cpu_s.end() ? 0. : found->second;
  };
  fmt::print(out, "CPU time of the runs: stock {:.1f} s, checked {:.1f} s, with the stage {:.1f} s\n",
             seconds("stock"), seconds("check"), seconds("stage"));
  for (const auto& [routine, digest] : proof.routines) fmt::print(out, "{:<12} {}\n", routine, digest);
  fmt::print(out, "Proof: {}\n", file.string());
}

/// Proves, writes the proof, and says on `out` what came of it. Returns whether all was equal.
bool prove_and_write(std::FILE* out, const BuildSet& set, const StageTrust& stage,
                     const ProofOptions& options) {
  ProofResult result = prove_programs(set, stage.tier, options, [] { support::check_interrupt(); });
  fill_in(result.proof, set, stage);
  if (!result.equal) {
    if (!result.run.empty()) forget(result.proof, set.builds);
    print_difference(out, set, result);
    return false;
  }
  const auto file = proof_beside(set.builds);
  support::write_file(file, proof_text(result.proof));
  print_proof(out, result.proof, result, file);
  if (options.remember) fmt::print(out, "Remembered: {}\n", remember(result.proof).string());
  return true;
}

}  // namespace

int prove_cherenkov(const BuildRequest& request, const ProofOptions& options) {
  const BuildSet set = built_for_proof(request);
  const StagePresence& stage = set.cherenkov_stage;
  if (stage.kind == StagePresence::Kind::kLeftOut)
    throw support::Error(fmt::format(
        "the Cherenkov stage is not in this program, so there is nothing to prove: {}", stage.reason));
  return prove_and_write(stdout, set, stage_trust(set.manifest), options) ? 0 : 1;
}

void prove_where_held_off(const BuildRequest& request) {
  const BuildSet set = built_for_proof(request);
  if (!set.cherenkov_stage.is_held_off()) return;
  ProofOptions options;
  options.steps = request.prove_steps;
  options.jobs = request.jobs;
  if (!prove_and_write(stderr, set, stage_trust(set.manifest), options))
    throw support::Error(
        "the Cherenkov stage was not proven, so it stays off; build without --prove for the gain of the "
        "generator alone");
}

}  // namespace overlay
