// The plan of a production, frozen in its folder: production.toml, its checksum, runs.tsv and card.template.
// Writes these four files, when a production is made, and nothing later.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "support/error.hpp"

namespace overlay {

namespace fs = std::filesystem;

/// JSON as our files hold it: bytes that are no UTF-8 are replaced.
inline std::string text_of(const nlohmann::json& json, int indent = 2) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Seeds in a seed block (a place in the ledger): in a row, one for each sequence of a run.
inline constexpr std::int64_t kSeedsOfRun = 10;
/// Event headers hold a seed as a 32-bit float, exact below 2^24.
inline constexpr std::int64_t kSeedLimit = std::int64_t{1} << 24;
/// Seed blocks in a ledger: the last one's seeds are below kSeedLimit.
inline constexpr std::int64_t kPlaces = (kSeedLimit - 1) / kSeedsOfRun;
inline constexpr std::int64_t kBillion = 1'000'000'000;

/// Seed of a sequence (from 1, at most kSeedsOfRun) of the run with a seed block: 1 + 10 * place + sequence
/// - 1. Two seed blocks share no seed, so the sequences of two runs start from different states.
constexpr std::int64_t planned_seed(std::int64_t place, int sequence) {
  return 1 + kSeedsOfRun * place + (sequence - 1);
}

/// Start of one sequence of the generator, as a card's SEED line gives it.
struct SequenceStart {
  std::int64_t seed = 0;      ///< 1 to 900,000,000
  std::int64_t calls = 0;     ///< numbers to skip, below 10^9
  std::int64_t billions = 0;  ///< further numbers to skip, in units of 10^9
  bool operator==(const SequenceStart&) const = default;
};

/// One point of the grid, and what the card template gets there.
struct ProductionSetting {
  double zenith = 0;                          ///< degrees
  int atmosphere = 0;                         ///< number of the table; 0: the card names none
  std::string primary;                        ///< CORSIKA's particle code
  std::map<std::string, std::string> values;  ///< placeholder -> text
};

/// Runs with numbers in a row: those of the first setting, those of the second one, ...
struct RunRange {
  std::int64_t first_run = 1;
  std::int64_t runs_per_setting = 0;
  std::int64_t first_place = 0;  ///< planned: number of the seed block (ledger.hpp) of the first run here;
                                 ///< the others follow. offsets: that of all runs, in the plan's first range
};

/// What makes a production's runs, as its plan and the manifest of each run say it.
struct MadeOf {
  std::string overlay_version;
  std::string corsika_version;  ///< "7.7410", or "standin 1.0"
  std::string flags, compilers;
  std::vector<std::string> substitutes;  ///< what stands in for what was not at hand
  std::string program;   ///< bin/corsika/run/NAME: the patched program, started beside its tables
  std::string tunables;  ///< value of GLIBC_TUNABLES for runs; empty: the node's own
  long showers = 0;      ///< of each run (NSHOW)
};

/// What `overlay production new` froze, and what `extend` added. Every path in it but the first is relative
/// to the production's folder.
struct ProductionPlan : MadeOf {
  fs::path folder;     ///< the production's, as read_plan() got it
  std::string digest;  ///< SHA-256 of production.toml there: what the manifests of a production name
  std::string name;
  std::string corsika_sha256;  ///< of the archive or tree
  std::string profile;
  std::vector<std::string> options;  ///< of CORSIKA, coconut's names
  std::string stock;                 ///< bin/corsika/run/NAME.stock: the stock program, for audits

  bool keep_light = false;  ///< publish light that goes into a command, too
  std::vector<ProductionSetting> settings;

  /// How runs get their random numbers: "planned" (seeds of its own for every run, each sequence from its
  /// first number) or "offsets" (the same seeds for all runs; the run with index i, from 0, begins i * stride
  /// numbers into each sequence).
  std::string seeds = "planned";
  bool offsets() const { return seeds == "offsets"; }
  int sequences = 4;
  std::int64_t stride = 0;  ///< offsets: numbers that each sequence of a run may draw

  /// Which processors may take part: "same" (one class, that of the first node that measures it), "pinned"
  /// (`tunables` are set for every run) or "any" (not checked).
  std::string class_policy = "same";

  std::map<std::string, std::string> files;  ///< SHA-256 of bin/..., runs.tsv and card.template

  /// A command for a shell, in the folder of each run that is whole: what comes next. Empty: none.
  std::string after;

  /// The plan's own, and those that were added: their numbers rise.
  std::vector<RunRange> ranges = std::vector<RunRange>(1);

  std::int64_t runs_of(const RunRange& range) const {
    return range.runs_per_setting * static_cast<std::int64_t>(settings.size());
  }
  std::int64_t runs_of_setting() const;
  std::int64_t run_count() const { return runs_of_setting() * static_cast<std::int64_t>(settings.size()); }
  /// The number of the run with an index from 0 to run_count() - 1, and back: -1 where there is no such run.
  std::int64_t run_at(std::int64_t index) const;
  std::int64_t index_of(std::int64_t run) const;
  std::int64_t last_run() const { return run_at(run_count() - 1); }
  /// "101 to 124, 201 to 204".
  std::string run_numbers() const;
  /// Seed blocks that a range takes from the ledger: one a run, or a single one with offsets.
  std::int64_t places(const RunRange& range) const { return offsets() ? 1 : runs_of(range); }
};

/// A run as the plan defines it, by arithmetic alone.
struct PlannedRun {
  std::int64_t run = 0;               ///< its number
  std::vector<SequenceStart> seeds;  ///< of sequences 1, 2, ...
  std::size_t setting = 0;            ///< in ProductionPlan::settings
};

/// Throws support::Error where the plan's run numbers or seeds are out of range, or seeds could meet: more
/// sequences than a seed block has seeds, seed blocks beyond kPlaces, or offsets beyond what event headers
/// hold exactly.
void check_plan(const ProductionPlan& plan);

/// Reads production.toml of a folder and checks it against production.toml.sha256, and what was added to it.
/// Throws support::Error, also where the format is one that this program does not know.
ProductionPlan read_plan(const fs::path& folder);

/// Writes runs.tsv (one line a run, for people) and card.template, then production.toml with the checksums of
/// both beside those that `plan.files` holds, then production.toml.sha256. Throws Error where a value is out
/// of range or a file cannot be written.
void write_plan(ProductionPlan plan, const std::string& card_template, const fs::path& folder);

/// Adds the last range of the plan to the plan's folder: extension-N.tsv, as runs.tsv, then
/// extension-N.toml. Throws as write_plan() does.
void write_extension(const ProductionPlan& plan);

/// Throws support::Error where the plan has no such run.
PlannedRun planned_run(const ProductionPlan& plan, std::int64_t run);

/// The input card of a run: card.template with its placeholders filled in. Throws Error where one has no
/// value.
std::string run_card(const ProductionPlan& plan, const std::string& card_template, const PlannedRun& run);

/// Checks the files whose names begin with `under` against the plan's checksums: files of bin/, runs.tsv,
/// card.template. Returns one line for each that differs or is missing.
std::vector<std::string> changed_files(const ProductionPlan& plan, const std::string& under = "");

// Where things are in a production's folder.

/// What a folder holds, by name; nothing where it cannot be read.
std::set<fs::path> paths_in(const fs::path& folder);

/// A run's number as it stands in names: with six digits, more where it has more.
std::string run_name(std::int64_t run);
/// results/NNN: kRunsOfFolder runs of the plan share a folder.
inline constexpr std::int64_t kRunsOfFolder = 1000;
fs::path results_folder(const ProductionPlan& plan, std::int64_t run);
/// results/NNN/RUN.json: there once the run is published.
fs::path manifest_path(const ProductionPlan& plan, std::int64_t run);
/// attempts/RUN: one JSON file for each attempt that left no manifest.
fs::path attempts_folder(std::int64_t run);
/// quarantine/RUN: files of a rejected run, and copies of it that disagree.
fs::path quarantine_folder(std::int64_t run);

}  // namespace overlay
