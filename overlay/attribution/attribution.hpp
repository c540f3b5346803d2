// CPU samples of a run counted into categories. Reads the samples and the sampled programs; writes nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "overlay/attribution/cpu_samples.hpp"
#include "overlay/attribution/profile_categories.hpp"

namespace overlay {

/// CPU samples counted into categories, over any number of runs of one build.
///
/// A sample is counted for what ran right before the sampled program counter (see Instructions), because of
/// the skid: an interrupt waits for the oldest unfinished instruction and then names the next one. Where the
/// possible predecessors are of different categories, or none is known, it stays where it was taken and is
/// ambiguous. This is done in the program and in libraries that hold an accelerated category; others are one
/// category as a whole.
///
/// share(category) = samples(category) / samples * main / (main + others), where main and others are the CPU
/// times of the main thread and of all other threads. To a category that owns helper threads
/// (ProfileCategory) others / (main + others) is added.
struct Attribution {
  std::map<std::string, std::uint64_t> category_samples;
  std::map<std::string, std::uint64_t>
      category_samples_uncorrected;                      ///< by the sampled program counters alone
  std::map<std::string, std::uint64_t> symbol_samples;   ///< symbol, or [object] where it has none
  std::map<std::string, std::uint64_t> generator_parts;  ///< the generator's samples, by symbol or file
  std::uint64_t samples = 0, lost = 0, overruns = 0;
  std::uint64_t moved = 0;      ///< samples that the correction counts into another category
  std::uint64_t ambiguous = 0;  ///< samples that stay where they were taken, as said above
  std::uint64_t unknown = 0;    ///< those of the ambiguous ones without any known predecessor
  std::uint64_t cpu_ns = 0, other_threads_ns = 0;
  int runs = 0;
  long interval_us = 0;
  bool lines = false;            ///< whether a line table could be read for the program
  bool corrected = false;        ///< whether the program could be disassembled in every run
  bool sources_missing = false;  ///< whether a source file of the program is not where the line table says

  /// The main thread's part of the CPU time, 0 to 1; 1 where no CPU time is known.
  double main_fraction() const;
  /// CPU time of the main thread per sample (interval_us is what was asked for); 0 without samples.
  double real_interval_ms() const;
  /// The category's share of CPU time, 0 to 1, as said above.
  double share(const ProfileCategory& category) const;
  /// Share of several categories together.
  double share_of(const std::vector<const ProfileCategory*>& categories) const;
  /// Share by the sampled program counters alone.
  double share_uncorrected(const ProfileCategory& category) const;
  /// The `most` symbols with most samples, and how many.
  std::vector<std::pair<std::string, std::uint64_t>> most_sampled(std::size_t most) const;
  /// Share of CPU time that this many samples of the main thread stand for.
  double share_of_samples(std::uint64_t count) const;
};

/// Counts one run's samples in. Throws support::Error where a sampled program or library cannot be read.
void attribute(const CpuSamples& samples, const std::filesystem::path& program,
               const CategoryList& categories, Attribution& into);

}  // namespace overlay
