// One run of the benchmark, and what is written of it.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lines.hpp"
#include "row.hpp"

namespace bench {

struct Results {
  std::string cpu;          ///< model name of the processor
  int cores = 1;            ///< that this process may use
  std::string simd_target;  ///< instruction set of the simd backend
  std::vector<Row> rows;
  std::map<std::string, double> ratios;  ///< of throughputs; absent where this machine cannot tell
  std::vector<std::string> skipped;      ///< what was left out, and why
  std::vector<Line> lines;
  std::vector<Crossover> crossovers;
};

/// Adds what follows from the rows: the ratios, the lines, the crossovers. Ratios are for requests of 4096
/// numbers on the CPU, of 2^28 that stay on a CUDA device, of 2^20 that it delivers; those whose key ends in
/// _1e8 for 10^8.
void derive(Results& results);

/// bench.json: machine, simd_target, rows[], ratios, lines[], crossovers[], skipped[].
nlohmann::json results_json(const Results& results);

/// bench.md: a table of nanoseconds per number for each kind of rows, the lines' throughputs, crossovers,
/// ratios.
std::string results_markdown(const Results& results);

/// Writes bench.json, bench.md and, where a python3 here has matplotlib, bench.png to the folder, which must
/// be there; returns in one line why there is no picture, or nothing. Throws support::Error where the folder
/// cannot be written to.
std::string write_results(const Results& results, const std::filesystem::path& folder);

}  // namespace bench
