#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "cherenkov_run.hpp"
#include "corsika_runtime/message.hpp"
#include "corsika_variables.hpp"
#include "end_run.hpp"

extern "C" {
// Where the library that has it is in the program, called before a sequence's counters or state are read.
__attribute__((weak)) extern void (*ranmar_before_reading)();

int cherenkov_looks_at_bunches = 0;
void chrend_();
}

namespace cherenkov::corsika {

Recorded recorded = {};

namespace {

// Null until the first step, and where the stage is off. Never destroyed: summaries read it as the last act
// of the program.
Run* the_run = nullptr;
bool off = false;
std::string by_bunch;                // the option because of which the stage looks at bunches only
const char* why_no_steps = nullptr;  // why it looks at bunches only; null where it takes whole steps
bool records = false;                // the stage does recorded steps
char failure[200] = "";              // why CORSIKA's own code has taken over

// Before the call returns, CORSIKA's own code takes over, or the program ends.
void hand_over(const char* why) noexcept {
  if (the_run != nullptr && requested_stage().checks_any()) end_check(why);
  if (the_run != nullptr && (!the_run->can_hand_over() || recorded.count != 0))
    fortran_bindings::end_run("cherenkov", why);
  off = true;
  std::snprintf(failure, sizeof(failure), "%s", why);
  recorded.defers = 0;
  cherenkov_looks_at_bunches = 0;
  corsika_runtime::say("cherenkov: %s; CORSIKA's own code goes on", why);
}

// What `work` returns, if anything, or 0 where it throws.
template <class Work>
[[gnu::always_inline]] inline int guarded(Work&& work) noexcept {
  try {
    if constexpr (!std::is_void_v<decltype(work())>) return work();
    work();
  } catch (const CheckDifference& difference) {
    end_check(difference.what());
  } catch (const std::exception& e) {
    hand_over(e.what());
  }
  return 0;
}

// Why steps are not recorded; null where they are.
const char* why_not_recorded(bool is_usual) {
  if (why_no_steps != nullptr) return "the stage works bunch by bunch";
  if (light_option() != nullptr) return "an option changes the light of bunches";
  if (&ranmar_before_reading == nullptr) return "the generator is CORSIKA's own";
  if (!is_usual || var.has_fstack == 0) return "this program cannot record steps";
  if (has_grid() && *var.mcerfi == 0) return "light goes into the file of particles; give CERFIL 1";
  return nullptr;
}

// In place of OUTPT2.
void look_at_hit() {
  guarded([] {
    Arrival light{*var.hit[0], 1.};
    for (std::size_t i = 1; i < std::size(var.hit); ++i) light[i + 1] = *var.hit[i];
    return the_run->collect(light);
  });
}

// False where the stage is off. is_usual: CERENK has the usual arguments.
bool start(bool is_usual) {
  chrini_(&var);
  off = !is_stage_wanted(by_bunch);
  if (!off && has_grid() && *var.ncertel > 0)
    hand_over("telescopes without IACT are not covered; build with IACT");
  if (off) return false;
  // Made before atexit(): print_end() reads it.
  static const std::string why_by_bunch =
      "with option " + by_bunch + " it looks at single bunches of CORSIKA's loop; build without the option";
  const bool whole = by_bunch.empty();
  if (!whole) why_no_steps = why_by_bunch.c_str();
  the_run = new Run(!whole);
  std::atexit([] { the_run->print_end(); });
  cherenkov_looks_at_bunches = has_grid() ? 0 : 1;
  if (has_grid() && requested_stage().checks_any()) cherenkov_looks_at_hits = look_at_hit;
  const char* why_not = why_not_recorded(is_usual);
  if (is_curved() && *var.iatmox < 1) {
    air = ExponentialAir::measured(var.hlay, var.datm, rhof_);
    if (!air) why_not = "the density of the air is not CORSIKA's own";  // RHOF is for CORSIKA's thread
  }
  if (whole) find_thresholds(emission(), var.obslev[*var.nobslv - 1]);
  const bool has_helper = the_run->start_helper(why_not);
  recorded.chunk = the_run->next_chunk();
  records =
      why_not == nullptr &&
      (!is_curved() || has_helper ||
       (var.ends_unread != 0 && (!requested_stage().checks_any() || requested_stage().checks_every_step())));
  if (records) ranmar_before_reading = chrfls_;
  // From the second step on. Where steps are checked as they come, CERENK comes here with all of them.
  if (whole && !requested_stage().checks_every_step() && (records || !requested_stage().checks_any()))
    recorded.defers = records && (!is_curved() || (var.ends_unread != 0 && *var.nobslv == 1)) ? 1 : 2;
  return true;
}

// While recorded steps are done, or a step is checked, what is done may draw or ask for counters, and so come
// here again.
bool doing_recorded = false;

// all: also what a helper thread was given.
void do_recorded(bool all) {
  if (doing_recorded) return;
  doing_recorded = true;
  the_run->left().settle();
  // Meanwhile CORSIKA's settings of light are those that the steps were recorded with, if any was. A throw in
  // between ends the program (hand_over()): count is not 0 until Run::do_recorded() has returned, and drain()
  // throws only while the helper thread has pending steps, or where steps are checked.
  auto kept = recorded.settings;
  const auto exchange = [&kept] {
    if (recorded.settings[0] == 0.) return;
    std::swap(*var.cersiz, kept[0]), std::swap(*var.cyield, kept[1]), std::swap(*var.etadsn, kept[2]);
  };
  exchange();
  if (recorded.count != 0) {
    the_run->do_recorded(*recorded.chunk, recorded.count);
    recorded.count = 0;
  }
  if (all) the_run->drain();
  recorded.chunk = the_run->next_chunk();
  exchange();
  doing_recorded = false;
}

// CERSIZ, CYIELD and ETADSN.
inline std::array<double, 3> settings_now() { return {*var.cersiz, *var.cyield, *var.etadsn}; }

// Whether they are still those of the recorded steps.
inline bool are_settings_kept() { return recorded.settings == settings_now(); }

// Where they are not, does the recorded steps with theirs.
void keep_settings() {
  if (are_settings_kept()) return;
  do_recorded(true);
  recorded.settings = settings_now();
}

// Puts a step in the place of the next one that is recorded.
[[gnu::always_inline]] inline void put(const ChargedStep& step, double cos_earth) {
  recorded.chunk->set(recorded.count, step);
  recorded.chunk->cos_earth[recorded.count] = cos_earth;
}

// Counts it as recorded. Without IACT, light from before the first interaction is written at once: the
// event's header follows it.
[[gnu::always_inline]] inline int keep() {
  const bool is_header_next = has_grid() && *var.fnprim == 0;
  if (++recorded.count == kChunkSteps || is_header_next) do_recorded(is_header_next);
  return 1;
}

// Puts off the end of an electron's step with CURVED, as chrens_() does where CERENK records it.
void put_off_end(const ChargedStep& charged, double cos_earth, RecordedSteps& steps, int i) {
  if (!is_curved() || *var.detsys != 0 || !is_recorded_as_is(charged.mass)) return;
  ChargedStep chord = charged;
  chord.x_end = charged.length;
  if (find_end(chord, var.c[0]) != cos_earth || chord.x_end != charged.x_end || chord.y_end != charged.y_end)
    return;
  steps.x_end[i] = charged.length;
  steps.cos_earth[i] = kWithoutEnd;
}

// What do_step() gives. changed: the step, whose ends are changed as CERENK of CURVED does.
int take(ChargedStep& changed, double cos_earth) {
  const ChargedStep charged = changed;
  const StepFate fate = fate_of(changed, cos_earth, why_no_steps, records);
  const bool is_checked = (!records || requested_stage().checks_every_step()) && the_run->is_checked_now();
  if (fate.what == StepFate::kLeft) do_recorded(true);
  if (!is_checked && fate.what == StepFate::kDropped) return 1;
  if (!is_checked && fate.what == StepFate::kLeft) {
    the_run->left_to_corsika(fate.why, charged.w);
    return 0;
  }
  if (records) keep_settings();
  put(charged, cos_earth);
  RecordedSteps& steps = *recorded.chunk;
  if (is_checked) {
    // CORSIKA does the step at once.
    doing_recorded = true;
    the_run->begin_check(fate, records, steps, recorded.count);
    if (records && fate.what == StepFate::kTaken) put_off_end(charged, cos_earth, steps, recorded.count++);
    return -1;
  }
  return records ? keep() : the_run->do_at_once(steps) ? 1 : 0;
}

// With lines of the log (DEBUG) each step is looked at.
inline bool is_looked_at() { return recorded.defers == 0 || log_is_wanted(); }

double cos_earth_of(const double* ctea) { return is_curved() && *var.detsys != 0 ? kInDetectorFrame : *ctea; }

// 1: done or recorded, CORSIKA has nothing to do; 0: CORSIKA's own CERENK must do it; -1: it must do it, and
// chrend_() is to be called after it. ctea: null where CERENK has other arguments than usual; with CURVED
// such steps are left to CORSIKA.
int do_step(ChargedStep& charged, const double* ctea) {
  if (off && failure[0] != '\0' && the_run != nullptr) the_run->left().add(failure);
  if (off) return 0;
  return guarded([&] {
    if (the_run == nullptr && !start(ctea != nullptr)) return 0;
    if (is_curved() && ctea == nullptr) return 0;
    if (var.thin == 0) charged.weight = 1.;
    const double earth = ctea == nullptr ? 0. : cos_earth_of(ctea);
    if (is_looked_at() || recorded.defers != 1 || !is_recorded_as_is(charged.mass))
      return take(charged, earth);
    // Not yet done for a run's first step: start() makes the limits.
    if (recorded.drops(charged)) return 1;
    keep_settings();
    put(charged, earth);
    return keep();
  });
}

// CERENK of other steps. `used` keeps the argument list, so that arguments stay in their registers.
template <class... Double>
[[gnu::noinline, gnu::used, gnu::cold]] void do_or_leave(Double*... argument) {
  const double* const at[] = {argument...};
  ChargedStep charged{};
  for (int i = 0; i < 17; ++i) (&charged.length)[i] = *at[i];  // STEPCR to WTTHIN
  const int done = do_step(charged, at[17]);
  if (done <= 0) chrcer_(argument...);
  if (done < 0) chrend_();
  if (done <= 0 || !is_curved()) return;
  for (int i = 6; i < 12; ++i) *const_cast<double*>(at[i]) = (&charged.length)[i];  // XBEG to ZEND
}

}  // namespace
}  // namespace cherenkov::corsika

using namespace cherenkov::corsika;

extern "C" {
// CERENK. Weak: where it has other arguments than usual, the patcher writes one that calls chrstp_.
__attribute__((weak)) void cerenk_(const double* stepcr, const double* umean, const double* vmean,
                                   const double* wmean, const double* ebeg, const double* eend,
                                   const double* xbeg, const double* ybeg, const double* zbeg,
                                   const double* xend, const double* yend, const double* zend,
                                   const double* tbeg, const double* tend, const double* amass,
                                   const double* charge, const double* wtthin, const double* ctea) {
  if (!is_looked_at()) {
    if (recorded.drops(*wmean, *zbeg, *zend, *ebeg, *eend, *amass)) return;
    if (recorded.defers == 1 && is_recorded_as_is(*amass) && are_settings_kept()) {
      put({*stepcr, *umean, *vmean, *wmean, *ebeg, *eend, *xbeg, *ybeg, *zbeg, *xend, *yend, *zend, *tbeg,
           *tend, *amass, *charge, var.thin == 0 ? 1. : *wtthin},
          cos_earth_of(ctea));
      guarded(keep);
      return;
    }
  }
  do_or_leave(stepcr, umean, vmean, wmean, ebeg, eend, xbeg, ybeg, zbeg, xend, yend, zend, tbeg, tend, amass,
              charge, wtthin, ctea);
}

// The same for a CERENK of the patcher. done: do_step(); a: STEPCR to CHARGE.
void chrstp_(std::int32_t* done, const double* a) {
  *done = 1;
  if (!is_looked_at() && recorded.drops(a[3], a[8], a[11], a[4], a[5], a[14])) return;
  ChargedStep charged{};
  std::copy_n(a, 16, &charged.length);
  *done = do_step(charged, nullptr);
}

// With option CURVED, the end of an electron's step as ELECTR computes it, where the patcher knows ELECTR.
// Where CERENK records steps, XEND becomes the length of the step's chord, VSTEP, and CTEA kWithoutEnd, and
// the rest is computed when the step is done. FNPRIM is false before the first interaction: ELECTR then
// stores the values, so they must be computed.
void chrens_(const double* earth, const std::int32_t* detsys, const std::int32_t* fnprim, const double* xbeg,
             const double* ybeg, const double* umean, const double* vmean, const double* vstep,
             const double* x, const double* y, const double* z, double* xend, double* yend, double* ctea) {
  static ChargedStep last{};
  ChargedStep step{*vstep, *umean, -*vmean, 0., 0., 0., *xbeg, *ybeg, 0., *vstep, *yend, -*z, 0., 0., 0., 0.};
  if (*detsys != 0) {
    // Stock leaves CTEA as it was, and ELECTR may add it up (RCTEA). So restore it.
    if (*ctea == kWithoutEnd) *ctea = find_end(last, *earth);
    step.x_end = *x, step.y_end = -*y;
  } else if (recorded.defers == 1 && *fnprim != 0 && !log_is_wanted()) {
    last = step;
    *ctea = kWithoutEnd;
  } else {
    *ctea = find_end(step, *earth);
  }
  *xend = step.x_end, *yend = step.y_end;
}

// The name of an option because of which the stage looks at bunches one by one.
void chrbun_(const char* option) { by_bunch = option; }

void chrfls_() {
  if (the_run != nullptr && !off) guarded([] { do_recorded(true); });
}

// Compares.
void chrend_() {
  guarded([] {
    the_run->end_check();
    doing_recorded = false;
    if (recorded.count == kChunkSteps) do_recorded(false);
  });
}
}

int cherenkov_raybnd(double* height, double* u, double* v, double* w, double* x, double* y, double* t) {
  const Bunch bunch{0., *x, *y, *u, *v, *w, *height, *t};
  return guarded([&] { return the_run->refract(bunch, var.obslev[*var.nobslv - 1]) ? 1 : 0; });
}

int cherenkov_telout(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
                     double* height, double* wavelength) {
  return guarded([&] {
    return the_run->collect({*photons, *weight, *x, *y, *u, *v, *t, *height, *wavelength});
  });
}

void cherenkov_end_of_event() {
  if (the_run != nullptr) the_run->left().settle();
  if (the_run == nullptr || off) return;
  guarded([] {
    do_recorded(true);
    the_run->end_event();
  });
}
