// What profiling reads: the sampler's file, programs' symbols, preprocessed sources. The input's first byte
// says which.
#include "fuzz.hpp"
#include "overlay/attribution/cpu_samples.hpp"
#include "overlay/attribution/elf_symbols.hpp"
#include "overlay/attribution/source_lines.hpp"

namespace fuzz::profile_data {
namespace {

using namespace overlay;

void symbols(const std::filesystem::path& file) {
  if (fuzz::refusal([&] {
        const ElfSymbols read(file);
        for (const std::uint64_t offset : {0ULL, 4096ULL, ~0ULL})
          if (const auto address = read.address_of_offset(offset))
            demangled(plain_name(read.function_at(*address)));
        read.address_of("main");
      }))
    return;
  const ElfSymbols twice(file);
  fuzz::require(twice.size() == ElfSymbols(file).size(), "a program has the same symbols twice");
}

}  // namespace

FUZZ_TARGET(profile_data) {
  const int kind = input.byte();
  const auto file = fuzz::file("data", input.rest());
  switch (kind) {
    case 'c':
      fuzz::refusal([&] {
        const auto samples = read_cpu_samples(file);
        std::uint64_t counted = 0;
        for (const auto& count : samples.counts) counted += count.count;
        fuzz::require(counted + samples.lost + 2 >= samples.samples, "samples that were read add up");
      });
      return;
    case 'e':
      return symbols(file);
    default: {
      const LineMarkers markers(file);
      for (const int line : {-1, 0, 1, 2, 100, 2147483647}) markers.file_at(line);
    }
  }
}

}  // namespace fuzz::profile_data
