// What a patched CORSIKA calls of the Cherenkov stage: CERENK (the patcher renames CORSIKA's to CHRCER), the
// new FSTACK, and the new RAYBND, TELOUT and TELEND of the IACT package (include/cherenkov_*.h). Variables
// have CORSIKA's names. No exception leaves a function of this file: where the stage fails before anything of
// a step was drawn or counted, CORSIKA's own code goes on; else the program ends, with its output written.
#pragma once

#include "corsika_runtime/cherenkov/backend.hpp"
#include "corsika_runtime/cherenkov/device_steps.hpp"

namespace cherenkov::corsika {

// Steps that are recorded, to be done later.
inline constexpr int kThresholdCells = 1024;
struct Recorded {
  // Two batches of a device, which reads steps where CERENK records them. Without a helper thread the first
  // chunk serves all steps.
  RecordedSteps chunks[2 * kDeviceChunks];
  // Least energy over mass of a particle that may emit light: [k] at heights from low + k / cells_per_cm on.
  double threshold[kThresholdCells];
  double low, cells_per_cm;  // low: cm above sea level
  double least_w;            // of a particle that emits light
  // CERSIZ, CYIELD and ETADSN that the recorded steps are to be done with.
  std::array<double, 3> settings;
  // 0: each step is looked at. 1: steps of too slow particles are dropped, and others recorded, with option
  // CURVED electrons' alone. 2: steps of too slow particles are dropped, and others looked at.
  int defers;
  int count;             // of steps in the current chunk
  RecordedSteps* chunk;  // the current one

  /// Whether CERENK takes no light of a particle for its direction, or by the table of thresholds it is too
  /// slow to emit light: w downwards, heights in cm, energies and mass in GeV.
  [[nodiscard]] bool drops(double w, double z_begin, double z_end, double begin_energy, double end_energy,
                           double mass) const {
    if (w < least_w) return true;
    const double cell = (std::min(z_begin, z_end) - low) * cells_per_cm;
    if (!(cell >= 0. && cell < kThresholdCells)) return false;
    const double least = mass * threshold[static_cast<int>(cell)];
    // Where an energy is below the mass CORSIKA compares a NaN, and may draw.
    return begin_energy < least && end_energy < least && begin_energy >= mass && end_energy >= mass;
  }
  /// The same of a whole step.
  [[nodiscard]] bool drops(const ChargedStep& c) const {
    return drops(c.w, c.z_begin, c.z_end, c.begin_energy, c.end_energy, c.mass);
  }
};
extern Recorded recorded;

}  // namespace cherenkov::corsika

extern "C" {
// CORSIKA's density of the air, g/cm^3, at a height in cm above sea level.
double rhof_(double* height);
// CORSIKA's own CERENK, where it has the usual arguments; else it is not called by this name.
void chrcer_(const double* stepcr, const double* umean, const double* vmean, const double* wmean,
             const double* ebeg, const double* eend, const double* xbeg, const double* ybeg,
             const double* zbeg, const double* xend, const double* yend, const double* zend,
             const double* tbeg, const double* tend, const double* amass, const double* charge,
             const double* wtthin, const double* ctea);
// Does recorded steps. Called by FSTACK, before the generator's counters or state are read, and before a
// number is drawn from the Cherenkov sequence elsewhere than in CERENK.
void chrfls_();

// Where the options that CORSIKA was built with are not covered: says so in one line, at the first call,
// unless the stage is off.
void chrnot_();

// CORSIKA's OUTPT2, which writes a bunch that hits a detector, where there is no IACT; and what is called
// then. Weak: with IACT CORSIKA has its own.
__attribute__((weak)) void chrout_(const std::int32_t* file);
__attribute__((weak)) void outpt2_(const std::int32_t* file);
// What outpt2_ calls in place of CORSIKA's; null where nothing is checked.
extern void (*cherenkov_looks_at_hits)();

// Whether the stage may work: this tree is known or proven, or CHERENKOV_UNPROVEN is set.
bool stage_is_trusted();
// [24] is '1' where it is, else '0'.
extern volatile char cherenkov_proven[26];

// Not 0 while RAYBND and TELOUT are to call the two functions below.
extern int cherenkov_looks_at_bunches;
// RAYBND: 1 where the bunch need not be refracted. t is the time of emission, ns.
int cherenkov_raybnd(double* height, double* u, double* v, double* w, double* x, double* y, double* t);
// TELOUT.
int cherenkov_telout(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
                     double* height, double* wavelength);
// Before TELEND: follows all light that is pending.
void cherenkov_end_of_event();
}
