#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compare/cpu_samples.hpp"
#include "compare/stages.hpp"

namespace comparison {

/// CPU samples counted into stages, over any number of runs of one build.
///
/// share(stage) = samples(stage) / samples * main / (main + others), where main and others are the CPU times
/// of the main thread and of all other threads; a stage that owns helper threads also has others / (main +
/// others).
struct Attribution {
  std::map<std::string, std::uint64_t> stage_samples;
  std::map<std::string, std::uint64_t> symbol_samples;   ///< symbol, or [object] where it has none
  std::map<std::string, std::uint64_t> generator_parts;  ///< the generator's samples, by symbol or file
  std::uint64_t samples = 0, lost = 0, overruns = 0;
  std::uint64_t cpu_ns = 0, other_threads_ns = 0;
  int runs = 0;
  long interval_us = 0;
  bool lines = false;            ///< whether a line table could be read for the program
  bool sources_missing = false;  ///< whether a source file of the program is not where the line table says

  double main_fraction() const;
  double real_interval_ms() const;
  double share(const Stage& stage) const;
  /// Share of several stages together.
  double share_of(const std::vector<const Stage*>& stages) const;
};

/// Counts one run's samples in.
void attribute(const CpuSamples& samples, const std::filesystem::path& program, const StageList& stages,
               Attribution& into);

}  // namespace comparison
