// What profiling reads: the sampler's file, lines of addr2line, disassemblies, preprocessed sources. The input's first
// byte says which.
#include "fuzz.hpp"
#include "overlay/attribution/attribution.hpp"

namespace fuzz::profile_data {

using namespace overlay;

FUZZ_TARGET(profile_data) {
  const int kind = input.byte();
  const std::string text = input.rest();
  switch (kind) {
    case 'c':
      fuzz::refusal([&] {
        const auto samples = read_cpu_samples(fuzz::file("data", text));
        std::uint64_t counted = 0;
        for (const auto& [pc, count] : samples.counts) counted += count;
        fuzz::require(counted + samples.lost + 2 >= samples.samples, "samples that were read add up");
      });
      return;
    case 'e':
      for (const auto& [address, frames] : parse_addr2line(text))
        for (const Frame& frame : frames) demangled(plain_name(frame.function));
      return;
    case 'd':
      Instructions(text).before(0x1000);
      return;
    default:
      line_markers(fuzz::file("data", text));
  }
}

}  // namespace fuzz::profile_data
