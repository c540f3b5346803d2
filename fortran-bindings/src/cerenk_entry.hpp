// What a patched CORSIKA calls of the Cherenkov stage. The callers are the new CERENK (cherenkov_steps.inc;
// the patcher renames CORSIKA's to CHRCER), the new FSTACK, and the new RAYBND, TELOUT and TELEND of the IACT
// package (include/cherenkov_*.h). Variables have CORSIKA's names. No exception leaves a function of this
// file: where the stage fails before anything of a step was drawn or counted, CORSIKA's own code goes on;
// else the program ends, with its output written.
#pragma once

#include "corsika_runtime/cherenkov/backend.hpp"
#include "corsika_runtime/cherenkov/device_steps.hpp"

extern "C" {
// A routine of cherenkov_cerenk.inc: calls chrrun_ and chrlng_; with option CURVED also chrgeo_. It gives
// them CORSIKA's variables, not copies. Before these, where the stage takes whole steps, it calls CHROPT, and
// so the functions of light_options.cpp; else chrbun_.
void chrini_();

// With option CURVED. unread: 1 if the patcher has put CHRENS (cherenkov_cerenk.inc) into ELECTR. Electrons'
// steps can then be done later. The others are variables of COMMON blocks: whether steps are in the
// detector's frame (it is set while CORSIKA does a step that was recorded); lower ends of the layers of the
// air, cm; 1 over their scale heights, 1/cm.
void chrgeo_(const std::int32_t* unread, std::int32_t* detsys, const double* hlay, const double* datm);

// COMMON /CHRSTE/ of cherenkov_common.inc: steps that are recorded, to be done later.
inline constexpr int kThresholdCells = 1024;
struct RecordedCommon {
  // Two batches of a device, which reads steps where CERENK records them. Without a helper thread the first
  // chunk serves all steps.
  cherenkov::corsika::RecordedSteps chunks[2 * cherenkov::corsika::kDeviceChunks];
  // Least energy over mass of a particle that may emit light: [k] at heights from low + k / cells_per_cm on.
  double threshold[kThresholdCells];
  double low, cells_per_cm;  // low: cm above sea level
  // CERSIZ, CYIELD and ETADSN that the recorded steps are to be done with.
  double settings[3];
  double weight;  // WTTHIN of the step that chrstp_ is called for, with option THIN; else 1
  // RecordedSteps::cos_earth of that step, with option CURVED; 0 by a CERENK with other arguments than usual,
  // which is not covered.
  double cos_earth;
  // 0: no step is dropped or recorded. 1: steps of too slow particles are dropped, and others recorded. 2:
  // steps of too slow particles are dropped, and none is recorded by CERENK. With option CURVED CERENK
  // records electrons' steps alone; chrstp_ records the others, if steps are recorded at all.
  std::int32_t defers;
  std::int32_t count;       // of steps in the current chunk
  std::int32_t chunk;       // the number, from 0 on, of the current chunk
  std::int32_t unused[15];  // fills the last cache line

  [[nodiscard]] cherenkov::corsika::RecordedSteps& current_chunk() { return chunks[chunk]; }
};
extern RecordedCommon chrste_;
// The numbers in cherenkov_common.inc.
static_assert(cherenkov::corsika::kChunkSteps == 64 && 2 * cherenkov::corsika::kDeviceChunks == 512 &&
              sizeof(cherenkov::corsika::RecordedSteps) == sizeof(double) * 64 * 21 &&
              kThresholdCells == 1024);
static_assert(offsetof(RecordedCommon, threshold) == 512 * sizeof(cherenkov::corsika::RecordedSteps) &&
              offsetof(RecordedCommon, defers) ==
                  offsetof(RecordedCommon, threshold) + (1024 + 7) * sizeof(double));

// Of the patched source: CORSIKA's own CERENK, with its arguments in an array. Not there where CERENK has
// other arguments than usual; no step is recorded then.
__attribute__((weak)) void chrcal_(const double* arguments);
// Does recorded steps. Called by CERENK when 64 are recorded, by FSTACK, before the generator's counters or
// state are read, and before a number is drawn from the Cherenkov sequence elsewhere than in CERENK.
void chrfls_();
// The settings of light have changed: does recorded steps with those that they were recorded with.
void chrnew_();

// Where the options that CORSIKA was built with are not covered: says so in one line, at the first call,
// unless the stage is off.
void chrnot_();

// What was asked for. A program with the stage calls this, and so checks the names before main.
const cherenkov::corsika::RequestedStage& stage_at_start();
// Whether the stage may work: this tree is known or proven, or CHERENKOV_UNPROVEN is set.
bool stage_is_trusted();

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
