// What the matrix found, one file for each combination and each cell, so that an interruption loses one cell
// at most. Reads and writes the given files alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace matrix {

/// What came of a cell.
enum class State {
  kLeft,        ///< not run yet
  kSame,        ///< the bytes of stock
  kDiffers,     ///< other bytes
  kFailed,      ///< a program failed, or the patched one could not be built while stock could
  kNotBuilt,    ///< stock cannot be built, so there is nothing to compare
  kNoDevice,    ///< the patched program went on on the CPU, with the bytes of stock
  kNoLight,     ///< the profile makes no light, so the Cherenkov stage has nothing to do
  kStockStops,  ///< stock does not run the card, so there is nothing to compare
  kBuilt        ///< of a combination: both programs are there
};
const char* state_name(State state);

/// How the programs of a combination were built.
struct BuildRecord {
  std::string key;             ///< Combination::key
  State state = State::kLeft;  ///< kLeft, kBuilt, kNotBuilt or kFailed
  std::string reason;          ///< one line; empty where built
  std::string stock, patched;  ///< files of the programs
  std::string programs;        ///< their checksums
  std::string options;         ///< separated by blanks
  std::string stage;           ///< CherenkovStage::text()
  double seconds = 0;
};

/// A cell: one run of the patched program, compared with stock's.
struct CellRecord {
  std::string key;  ///< BuildRecord::key and programs
  State state = State::kLeft;
  std::string reason;                  ///< one line: why not the same
  std::string note;                    ///< what the program said of itself
  std::uint64_t files = 0, bytes = 0;  ///< that were compared; bytes of stock's files
  double stock_s = 0, patched_s = 0;   ///< CPU time
  double seconds = 0;                  ///< that the cell took
  std::string made;                    ///< date and time, UTC
};

/// The record that a file holds; empty if it cannot be read.
std::optional<BuildRecord> read_build(const std::filesystem::path& file);
std::optional<CellRecord> read_cell(const std::filesystem::path& file);

void write_build(const std::filesystem::path& file, const BuildRecord& record);
void write_cell(const std::filesystem::path& file, const CellRecord& record);

/// Checksums of two programs; empty where one is missing.
std::string checksums_of(const std::string& stock, const std::string& patched);

}  // namespace matrix
