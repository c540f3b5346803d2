// Which random numbers runs use, as their cards, logs and output files say. Reads what it is given; unpacks
// compressed files into the system's folder for temporary files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace overlay {

/// What a run's seeds were read from.
enum class SeedSource {
  card,
  log,
  particles,  ///< a particle file
  light,      ///< a telescope file
  plan
};

/// The part of a seed's stream that one sequence of a run uses. Numbers are counted from the seed's first, 0.
struct StreamUse {
  std::int64_t seed = 0;
  std::uint64_t first = 0;  ///< numbers skipped at the start
  std::uint64_t end = 0;  ///< behind the last number that the source tells of; `first` where it tells of none
  bool end_known = false;  ///< true: the run drew no number from `end` on; false: it may have
};

/// One run's streams: sequence 1, 2, ...
struct RunSeeds {
  std::string name;  ///< the file, or "FILE, run N"
  SeedSource source = SeedSource::card;
  std::optional<std::int64_t> number;  ///< RUNNR
  std::vector<StreamUse> streams;
  bool rounded = false;  ///< a seed is from a header of 32-bit floats and above 2^24
};

/// The runs of a file, by its content: one for a card, a log or an output file, all for the folder of a
/// production or its production.toml; none where the file says nothing of seeds. Throws support::Error where
/// it cannot be read.
std::vector<RunSeeds> read_run_seeds(const std::filesystem::path& path);

/// The same of a card's or a log's text.
std::optional<RunSeeds> seeds_of_card(std::string_view text);
std::optional<RunSeeds> seeds_of_log(std::string_view text);
/// The same of the bytes of a particle or telescope file: the first event's header says where sequences
/// begin, later ones how far they got.
std::optional<RunSeeds> seeds_of_output(std::string_view bytes);

}  // namespace overlay
