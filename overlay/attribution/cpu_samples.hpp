// What libcpu_sampler.so wrote about a run. Reads that file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace overlay {

/// One executable mapping of the sampled process.
struct Mapping {
  std::uint64_t begin = 0, end = 0, offset = 0;
  std::string object;  ///< path; "[vdso]" and the like; empty where anonymous
};

/// How often one program counter was seen.
struct PcCount {
  std::uint64_t pc = 0, count = 0;
};

/// What libcpu_sampler.so wrote about one run.
struct CpuSamples {
  long interval_us = 0;           ///< as asked
  std::uint64_t samples = 0;      ///< of the main thread
  std::uint64_t lost = 0;         ///< taken, but the table was full
  std::uint64_t overruns = 0;     ///< asked for, but not delivered (the kernel's tick is slower)
  std::uint64_t cpu_ns = 0;       ///< the whole process
  std::uint64_t main_cpu_ns = 0;  ///< its main thread
  std::vector<PcCount> counts;
  std::vector<Mapping> mappings;
};

/// Reads the file. Throws support::Error where it is missing, cut short, or does not add up.
CpuSamples read_cpu_samples(const std::filesystem::path& file);

}  // namespace overlay
