#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "cherenkov_run.hpp"
#include "corsika_runtime/message.hpp"
#include "corsika_variables.hpp"
#include "end_run.hpp"

extern "C" {
double rhof_(double* height);
// Where the library that has it is in the program, called before a sequence's counters or state are read.
__attribute__((weak)) extern void (*ranmar_before_reading)();

int cherenkov_looks_at_bunches = 0;
RecordedCommon chrste_ = {};
}

namespace cherenkov::corsika {
namespace {

// Null until the first step, and where the stage is off. Never destroyed: summaries read it as the last act
// of the program.
Run* the_run = nullptr;
bool off = false;
std::string by_bunch;    // the option because of which the stage looks at bunches only
bool may_defer = false;  // the source can write steps down
bool records = false;    // the stage does recorded steps
char failure[200] = "";  // why CORSIKA's own code has taken over

// Before the call returns, CORSIKA's own code takes over, or the program ends.
void hand_over(const char* why) noexcept {
  if (the_run != nullptr && the_run->checks_any()) end_check(why);
  if (the_run != nullptr && (!the_run->can_hand_over() || chrste_.count != 0))
    fortran_bindings::end_run("cherenkov", why);
  off = true;
  std::snprintf(failure, sizeof(failure), "%s", why);
  chrste_.defers = 0;
  cherenkov_looks_at_bunches = 0;
  corsika_runtime::say("cherenkov: %s; CORSIKA's own code goes on", why);
}

// What `work` returns, if anything, or 0 where it throws.
template <class Work>
int guarded(Work&& work) noexcept {
  try {
    if constexpr (!std::is_void_v<decltype(work())>) return work();
    work();
  } catch (const CheckDifference& difference) {
    end_check(difference.what());
  } catch (const std::exception& e) {
    hand_over(e.what());
  } catch (...) {
    hand_over("an unknown error");
  }
  return 0;
}

// Why steps are not recorded; null where they are.
const char* why_not_recorded() {
  if (the_run->why_no_steps() != nullptr) return "the stage works bunch by bunch";
  if (light_option() != nullptr) return "an option changes the light of bunches";
  if (&ranmar_before_reading == nullptr) return "the generator is CORSIKA's own";
  if (!may_defer || &chrcal_ == nullptr) return "this program cannot record steps";
  return nullptr;
}

// False where the stage is off.
bool start() {
  chrini_();
  if (off) return false;
  the_run = new Run(by_bunch);
  if (chrste_.weight == 0.) chrste_.weight = 1.;
  std::atexit([] { the_run->print_end(); });
  cherenkov_looks_at_bunches = 1;
  const char* why_not = why_not_recorded();
  if (is_curved() && *var.iatmox < 1) {
    air = ExponentialAir::measured(var.hlay, var.datm, rhof_);
    if (!air) why_not = "the density of the air is not CORSIKA's own";  // RHOF is for CORSIKA's thread
  }
  if (why_not != nullptr) Run::say_no_helper(why_not);
  const bool whole = the_run->why_no_steps() == nullptr;
  if (whole) find_thresholds(emission(), var.obslev[*var.nobslv - 1]);
  if (why_not == nullptr) the_run->start_helper(var.kind == DepthProfile::Kind::kSlant, *var.llongi != 0);
  chrste_.chunk = the_run->next_chunk();
  records =
      why_not == nullptr && (!is_curved() || the_run->has_helper() ||
                             (var.ends_unread && (!the_run->checks_any() || the_run->checks_every_step())));
  if (records) ranmar_before_reading = chrfls_;
  // From the second step on. Where steps are checked as they come, CERENK comes here with all of them.
  if (!whole || the_run->checks_every_step() || (the_run->checks_any() && !records))
    chrste_.defers = 0;
  else
    chrste_.defers = records && (!is_curved() || (var.ends_unread && *var.nobslv == 1)) ? 1 : 2;
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
  // throws only while the pipeline has pending steps, or where steps are checked.
  double kept[3] = {chrste_.settings[0], chrste_.settings[1], chrste_.settings[2]};
  const auto exchange = [&kept] {
    if (chrste_.settings[0] == 0.) return;
    std::swap(*var.cersiz, kept[0]), std::swap(*var.cyield, kept[1]), std::swap(*var.etadsn, kept[2]);
  };
  exchange();
  if (chrste_.count != 0) {
    the_run->do_recorded(chrste_.current_chunk(), chrste_.count);
    chrste_.count = 0;
  }
  if (all) the_run->drain();
  chrste_.chunk = the_run->next_chunk();
  exchange();
  doing_recorded = false;
}

// Puts off the end of an electron's step with CURVED, as CHRENS does where CERENK records it.
void put_off_end(const ChargedStep& charged, RecordedSteps& steps, int i) {
  if (!is_curved() || *var.detsys != 0 || !is_electron(charged)) return;
  ChargedStep chord = charged;
  chord.x_end = charged.length;
  if (find_end(chord, var.c[0]) != chrste_.cos_earth || chord.x_end != charged.x_end ||
      chord.y_end != charged.y_end)
    return;
  steps.x_end[i] = charged.length;
  steps.cos_earth[i] = kWithoutEnd;
}

// What chrstp_ gives in `done`. changed: the step, whose ends are changed as CERENK of CURVED does.
int take(ChargedStep& changed) {
  const ChargedStep charged = changed;
  const StepFate fate = fate_of(changed, the_run->why_no_steps(), records);
  const bool is_checked = (!records || the_run->checks_every_step()) && the_run->is_checked_now();
  if (fate.what == StepFate::kLeft) do_recorded(true);
  if (!is_checked && fate.what == StepFate::kDropped) return 1;
  if (!is_checked && fate.what == StepFate::kLeft) {
    the_run->left_to_corsika(fate.why);
    return 0;
  }
  const auto& kept = chrste_.settings;
  if (records && (kept[0] != *var.cersiz || kept[1] != *var.cyield || kept[2] != *var.etadsn)) chrnew_();
  RecordedSteps& steps = chrste_.current_chunk();
  steps.set(chrste_.count, charged);
  steps.cos_earth[chrste_.count] = chrste_.cos_earth;
  if (is_checked) {
    // CORSIKA does the step at once.
    doing_recorded = true;
    the_run->begin_check(fate, records, steps, chrste_.count);
    if (records && fate.what == StepFate::kTaken) put_off_end(charged, steps, chrste_.count++);
    return -1;
  }
  if (!records) return the_run->do_at_once(steps) ? 1 : 0;
  if (++chrste_.count == kChunkSteps) do_recorded(false);
  return 1;
}

}  // namespace
}  // namespace cherenkov::corsika

using namespace cherenkov::corsika;

extern "C" {
// A step, with the arguments of CERENK. done: 1: done or recorded, CORSIKA has nothing to do; 0: CORSIKA's
// own CERENK must do it; -1: it must do it, and chrend_ is to be called after it. Where it is 1, with option
// CURVED the ends of the step are changed as CERENK changes them.
void chrstp_(std::int32_t* done, const double* stepcr, const double* umean, const double* vmean,
             const double* wmean, const double* ebeg, const double* eend, double* xbeg, double* ybeg,
             double* zbeg, double* xend, double* yend, double* zend, const double* tbeg, const double* tend,
             const double* amass, const double* charge) {
  ChargedStep charged{*stepcr, *umean, *vmean, *wmean, *ebeg, *eend, *xbeg,  *ybeg,
                      *zbeg,   *xend,  *yend,  *zend,  *tbeg, *tend, *amass, *charge};
  if (failure[0] != '\0' && the_run != nullptr) the_run->left().add(failure);
  *done = off ? 0 : guarded([&] {
    if (the_run == nullptr && !start()) return 0;
    charged.weight = chrste_.weight;
    return is_curved() && chrste_.cos_earth == 0. ? 0 : take(charged);
  });
  if (*done != 1 || !is_curved()) return;
  *xbeg = charged.x_begin, *ybeg = charged.y_begin, *zbeg = charged.z_begin;
  *xend = charged.x_end, *yend = charged.y_end, *zend = charged.z_end;
}

// The name of an option because of which the stage looks at bunches one by one.
void chrbun_(const char* option) { by_bunch = option; }

// later: 1 where steps may be done later. The others are variables of COMMON
// blocks, by CORSIKA's names; cyield, cersiz and etadsn have the values of the recorded steps while these are
// done.
void chrrun_(const std::int32_t* later, const double* c, double* cyield, double* cersiz, double* etadsn,
             const double* pi2, const double* cosang, const double* sinang, const double* obslev,
             const double* xoff, const double* yoff, const double* thckob, const std::int32_t* nobslv,
             const std::int32_t* iatmox, const std::int32_t* frefrx, const std::int32_t* debug,
             const std::int32_t* lcerdb, const std::int32_t* fegsdb) {
  off = !Run::is_wanted(by_bunch);
  may_defer = *later != 0;
  var.c = c, var.cyield = cyield, var.cersiz = cersiz, var.etadsn = etadsn, var.pi2 = pi2;
  var.cosang = cosang, var.sinang = sinang, var.obslev = obslev, var.xoff = xoff, var.yoff = yoff;
  var.thckob = thckob, var.nobslv = nobslv, var.iatmox = iatmox, var.frefrx = frefrx;
  var.debug = debug, var.lcerdb = lcerdb, var.fegsdb = fegsdb;
}

void chrfls_() {
  if (the_run == nullptr || off) return;
  // CERENK calls it with a full record, and others whatever there is.
  guarded([] { do_recorded(chrste_.count < kChunkSteps); });
}

void chrnew_() {
  guarded([] { do_recorded(true); });
  chrste_.settings[0] = *var.cersiz, chrste_.settings[1] = *var.cyield, chrste_.settings[2] = *var.etadsn;
}

// After a step for which chrstp_ gave -1: compares.
void chrend_() {
  guarded([] {
    the_run->end_check();
    doing_recorded = false;
    if (chrste_.count == kChunkSteps) do_recorded(false);
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
