// OUTPT2 of builds without IACT, where the patcher renames CORSIKA's, which writes a bunch that hits a
// detector, to CHROUT. In a file of its own, for builds that take nothing else of the stage.
#include <cstdint>

extern "C" {
__attribute__((weak)) void chrout_(const std::int32_t* file);

// What checks the bunch and writes it; null where nothing is checked.
void (*cherenkov_looks_at_hits)() = nullptr;

// Weak: with IACT it is CORSIKA's.
__attribute__((weak)) void outpt2_(const std::int32_t* file) {
  if (cherenkov_looks_at_hits != nullptr) return cherenkov_looks_at_hits();
  chrout_(file);
}
}
