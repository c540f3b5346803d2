// Seeds: the ledger that hands them out, which numbers runs use, and whether runs share some. Reads what it
// is given, and appends to the ledger.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "overlay/identity/output_blocks.hpp"
#include "overlay/production/plan.hpp"

namespace overlay {

// --- The ledger: one text file for all productions of a group, with one line for each series of seed blocks
// that was handed out. Only ever grows.

/// $OVERLAY_LEDGER where set; else $XDG_DATA_HOME/overlay/seeds.ledger, or that below ~/.local/share.
fs::path default_ledger();

/// Run numbers that a production asks a ledger for.
struct LedgerRuns {
  std::int64_t count = 0;  ///< in a row
  std::int64_t first =
      0;  ///< the first one; 0: gets the first of so many from `from` on that no production has
  std::int64_t from = 1;
  const ProductionPlan* of = nullptr;  ///< a production whose seeds must be from this ledger
  bool look = false;                   ///< take nothing, and say what would be taken
};

/// A place in the ledger is a seed block: kSeedsOfRun seeds, one run's. Takes `places` seed blocks in a row
/// for a production and writes them down. Returns the first one's number. Callers at the same time, also on
/// other machines where the file system has locks (flock), get different seed blocks. What a call took stays
/// taken, whatever becomes of the production. The numbers of `runs` are written down, too.
/// Throws support::Error where fewer places are left, an earlier line has one of these numbers, and where the
/// file is no ledger or cannot be written; nothing is taken then.
std::int64_t take_places(const fs::path& ledger, std::int64_t places, const std::string& production,
                         LedgerRuns& runs);

// --- Which numbers runs use, as their cards, logs and output files say.

/// What a run's seeds were read from; `light`: a telescope file.
enum class SeedSource { card, log, particles, light, plan };

/// Of a sequence whose seed a file does not tell: no seed of CORSIKA's, which has 32 bits.
inline constexpr std::int64_t kSeedNotTold = std::numeric_limits<std::int64_t>::min();

/// The part of a seed's stream that one sequence of a run uses. Numbers are counted from the seed's first, 0.
struct StreamUse {
  std::int64_t seed = kSeedNotTold;
  std::uint64_t first = 0;  ///< numbers skipped at the start
  std::uint64_t end = 0;  ///< behind the last number that the source tells of; `first` where it tells of none
  bool end_known = false;             ///< true: the run drew no number from `end` on; false: it may have
  std::int64_t state = kSeedNotTold;  ///< start_state() of the seed, once runs are compared
};

/// One run's streams: sequence 1, 2, ...
struct RunSeeds {
  std::string name;  ///< the file, or "FILE, run N"
  SeedSource source = SeedSource::card;
  std::optional<std::int64_t> number;  ///< RUNNR
  std::vector<StreamUse> streams;
  bool rounded = false;  ///< a seed is from a header of 32-bit floats and beyond 2^24
};

/// Numbers that RMMAQD skips: none where the billions are negative; negative calls count as none.
inline std::uint64_t skipped_numbers(const SequenceStart& start) {
  if (start.billions < 0) return 0;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, start.calls)) +
         static_cast<std::uint64_t>(kBillion) * static_cast<std::uint64_t>(start.billions);
}

/// A number for the state that RMMAQD makes of a seed: seeds of one state begin one stream. Seeds below 0,
/// which are none of CORSIKA's, may begin one stream with others of another number.
std::int64_t start_state(std::int64_t seed);

/// What an event's header says of its start: seed and numbers drawn before, for each sequence. Word 13 is the
/// number of sequences, words 14 on are seed, numbers modulo 10^6, millions.
std::vector<StreamUse> starts_in_header(std::string_view bytes, const BlockPlace& event);

/// The runs of a file, by its content: one for a card, a log or an output file, all for the folder of a
/// production or its production.toml; none where the file says nothing of seeds. Unpacks compressed files
/// into the system's folder for temporary files. Throws support::Error where it cannot be read.
std::vector<RunSeeds> read_run_seeds(const fs::path& path);

/// The same of a card's or a log's text.
std::optional<RunSeeds> seeds_of_card(std::string_view text);
std::optional<RunSeeds> seeds_of_log(std::string_view text);
/// The same of the bytes of a particle or telescope file: the first event's header says where sequences
/// begin, later ones how far they got.
std::optional<RunSeeds> seeds_of_output(std::string_view bytes);

// --- Whether runs share random numbers.

/// What a comparison of runs' streams found.
struct SeedReport {
  std::vector<std::string> repeats;   ///< one line for each group of runs that begin alike in all sequences
  std::vector<std::string> overlaps;  ///< one for each stretch of a seed's stream of more than one sequence
  std::vector<std::string> unknown;   ///< what cannot be known from these files, one line each
  std::size_t runs = 0;               ///< that were compared
  std::size_t repeating = 0;          ///< runs that repeat an earlier one of the list: those to be made again
  bool clean() const { return repeats.empty() && overlaps.empty(); }
};

/// Compares the streams of all runs. A card, a log and an output file of the same run number that begin alike
/// are taken for one run, and `unknown` says so; two of the same kind never are.
SeedReport compare_seeds(std::vector<RunSeeds> runs);

}  // namespace overlay
