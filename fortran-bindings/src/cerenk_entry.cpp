#include "cerenk_entry.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <optional>

#include "cherenkov_run.hpp"
#include "corsika_runtime/cherenkov/charged_step.hpp"
#include "corsika_runtime/cherenkov/exponential_air.hpp"
#include "end_run.hpp"
#include "telescope_efficiency_entry.hpp"
#include "wavelength_entry.hpp"

extern "C" {
double refidx_(double* height);
double rhof_(double* height);
// One of the two where the build has no option SLANT, and none of it is called then.
__attribute__((weak)) double thick_(double* height);
// Not there where the IACT package does not have it. A helper thread calls it, too: it only reads tables.
__attribute__((weak)) double refim1x_(double* height);
// Only in builds with option CURVED, and called there alone.
__attribute__((weak)) double distip_(double* cosine, double* height);
__attribute__((weak)) double tofip_(double* cosine, double* height);
// Where the library that has it is in the program, called before a sequence's counters or state are read.
__attribute__((weak)) extern void (*ranmar_before_reading)();

int cherenkov_looks_at_bunches = 0;
RecordedCommon chrste_ = {};
}

namespace cherenkov::corsika {
namespace {

// CORSIKA's variables, which it changes from event to event.
struct Variables {
  const double *c, *cyield, *cersiz, *etadsn, *pi2, *cosang, *sinang, *obslev, *xoff, *yoff, *thckob;
  const std::int32_t *nobslv, *iatmox, *frefrx, *debug, *lcerdb, *fegsdb;
  // Null without option CURVED.
  std::int32_t* detsys;
  bool ends_unread;  // see chrgeo_
  const double *hlay, *datm;
  DistributionKind kind;
  const std::int32_t *llongi, *nstep, *lngmax;
  double* plong9;
  const double *edges, *thstep, *thstpi, *sthcph, *sthsph, *cth, *rloff;
};
Variables var = {};

// Null until the first step, and where the stage is off. Never destroyed: summaries read it as the last act
// of the program.
Run* the_run = nullptr;
bool off = false;
bool may_defer = false;  // the source can write steps down
bool records = false;    // the stage does recorded steps
// Option CURVED.
LastIndex last_index;
std::optional<ExponentialAir> air;

// Before the call returns, CORSIKA's own code takes over, or the program ends.
void hand_over(const char* why) noexcept {
  if (the_run != nullptr && the_run->checks_any()) end_check(why);
  if (the_run != nullptr && (!the_run->can_hand_over() || chrste_.count != 0))
    fortran_bindings::end_run("cherenkov", why);
  off = true;
  chrste_.defers = 0;
  cherenkov_looks_at_bunches = 0;
  std::fprintf(stderr, "cherenkov: %s; CORSIKA's own code goes on\n", why);
}

// What `work` returns, or 0 where it throws.
template <class Work>
int guarded(Work&& work) noexcept {
  try {
    return work();
  } catch (const CheckDifference& difference) {
    end_check(difference.what());
  } catch (const std::exception& e) {
    hand_over(e.what());
  } catch (...) {
    hand_over("an unknown error");
  }
  return 0;
}

Emission emission() {
  return {var.c[28], *var.cyield, *var.cersiz,           *var.etadsn, *var.iatmox >= 1,
          refidx_,   rhof_,       air ? &*air : nullptr, refim1x_};
}

// A particle is too slow to emit light where beta n < 1, that is where E/m < 1/sqrt(1 - 1/n^2). The index
// falls with height by some 0.1% in the 7 m between two samples, but for jumps at the layers of CORSIKA's own
// atmospheres: the sample above a jump is lower than the index there by no more than that.
void find_thresholds() {
  constexpr double kTop_cm = 1.128e7;    // CORSIKA's
  constexpr double kLeastExcess = 1e-9;  // n - 1 below which nothing is dropped
  constexpr double kMargin = 1e-2;       // of n - 1
  constexpr double kRounding = 1e-4;     // of E/m
  constexpr int kSamples = 16;           // of a cell
  const Emission air = emission();
  chrste_.low = var.obslev[*var.nobslv - 1];
  const double cell = (kTop_cm - chrste_.low) / kThresholdCells;
  chrste_.cells_per_cm = 1. / cell;
  double highest = 1.;  // n above the cell in hand
  for (int k = kThresholdCells - 1; k >= 0; --k) {
    for (int i = 0; i <= kSamples; ++i)
      highest = std::max(highest,
                         refractive_index(air, chrste_.low + (k + static_cast<double>(i) / kSamples) * cell));
    const double n = 1. + (highest - 1.) * dispersion_of_steps() * (1. + kMargin);
    chrste_.threshold[k] = n - 1. > kLeastExcess ? (1. - kRounding) / std::sqrt(1. - 1. / (n * n)) : 0.;
  }
}

// CORSIKA's own code writes lines into the log then.
bool log_lines_wanted() { return *var.debug != 0 || *var.lcerdb != 0 || *var.fegsdb != 0; }

// Why steps are not recorded; null where they are.
const char* why_not_recorded() {
  if (!the_run->takes_whole_steps()) return "the stage works bunch by bunch";
  if (has_wavelengths()) return "bunches have wavelengths";
  if (&ranmar_before_reading == nullptr) return "the generator is CORSIKA's own";
  if (!may_defer || &chrcal_ == nullptr) return "this program cannot record steps";
  return nullptr;
}

// False where the stage is off.
bool start() {
  chrini_();
  if (off) return false;
  const bool is_curved = var.detsys != nullptr;
  the_run =
      Run::create(is_curved ? std::optional(CurvedVariables{var.detsys, var.c, var.obslev}) : std::nullopt);
  off = the_run == nullptr;
  if (off) return false;
  const char* why_not = why_not_recorded();
  if (is_curved && *var.iatmox < 1) {
    air = ExponentialAir::measured(var.hlay, var.datm, rhof_);
    if (!air) why_not = "the density of the air is not CORSIKA's own";  // RHOF is for CORSIKA's thread
  }
  if (why_not != nullptr) Run::say_no_device(why_not);
  const bool drops = why_not == nullptr || has_wavelengths() || (is_curved && the_run->takes_whole_steps());
  if (drops) find_thresholds();
  if (why_not == nullptr && !the_run->checks_every_step())
    the_run->start_helper(var.kind == DistributionKind::slant);
  chrste_.chunk = the_run->next_chunk();
  records = why_not == nullptr &&
            (!is_curved || the_run->has_helper() || (var.ends_unread && !the_run->checks_any()));
  if (!records) {
    chrste_.defers = drops && !the_run->checks_any() ? 2 : 0;
  } else if (!the_run->checks_every_step()) {
    // From the second step on.
    ranmar_before_reading = chrfls_;
    chrste_.defers = is_curved && !(var.ends_unread && *var.nobslv == 1) ? 2 : 1;
  }
  return true;
}

// As CERENK of cherenkov_steps.inc drops steps.
bool is_dropped(const ChargedStep& charged) {
  const double cell = (std::min(charged.z_begin, charged.z_end) - chrste_.low) * chrste_.cells_per_cm;
  if (!(cell >= 0. && cell < kThresholdCells)) return false;
  const double least = charged.mass * chrste_.threshold[static_cast<int>(cell)];
  return charged.begin_energy < least && charged.end_energy < least && charged.begin_energy >= charged.mass &&
         charged.end_energy >= charged.mass;
}

// What CERENK knows of a step before its loop, beside the step itself.
ObservationContext surroundings(const ChargedStep& charged, const Step& step) {
  static constexpr DepthProfile::Kind kKinds[] = {
      DepthProfile::Kind::kSlant, DepthProfile::Kind::kSlantSpread, DepthProfile::Kind::kHeight};
  const int level = *var.nobslv - 1;
  std::optional<UnrefractedTiming> straight;
  if (*var.frefrx == 0)
    straight = {charged.z_begin,   charged.z_end, charged.length, *var.etadsn,
                var.thckob[level], var.c[24],     thick_};
  return {{var.obslev[level], var.xoff[level], var.yoff[level], *var.cosang, *var.sinang, 0., 0.},
          *var.pi2,
          var.c[28],
          -step.sw,
          *var.llongi != 0,
          {var.plong9, var.edges, *var.nstep, *var.lngmax, *var.thstpi, *var.sthcph, *var.sthsph, *var.cth,
           *var.rloff, kKinds[static_cast<int>(var.kind)], *var.thstep, thick_},
          straight};
}

// While it lives, what is done may ask for counters, and so come here again.
bool doing_recorded = false;

// all: also what a helper thread was given.
void do_recorded(bool all) {
  if (doing_recorded) return;
  doing_recorded = true;
  if (chrste_.count != 0) {
    const ObservationContext around = surroundings(ChargedStep{}, Step{});
    const RecordedSteps& steps = chrste_.current_chunk().steps;
    if (var.detsys == nullptr)
      the_run->do_recorded(steps, chrste_.count, emission(), around);
    else
      the_run->do_recorded(steps, chrste_.count, {var.c[0], distip_, tofip_}, emission(), around);
    chrste_.count = 0;
  }
  if (all) the_run->drain();
  chrste_.chunk = the_run->next_chunk();
  doing_recorded = false;
}

int take(const ChargedStep& charged) {
  if (the_run == nullptr) {
    if (!start()) return 0;
    // One that has a helper thread has no other stage. With CURVED, CERENK with other arguments is not
    // covered.
    if (the_run->has_helper() || var.detsys != nullptr) return 0;
  }
  LightKind light = LightKind::kOther;
  if (has_wavelengths()) light = look_at_wavelengths(charged, emission());
  if (log_lines_wanted()) {
    do_recorded(true);
    the_run->left_to_corsika();
    return 0;
  }
  if (has_wavelengths()) {
    if (the_run->checks_next_step() && is_dropped(charged)) light = LightKind::kNone;
    if (light == LightKind::kNone && !the_run->checks_next_step()) return 1;
    return take_wavelengths(*the_run, light, emission(), surroundings(charged, Step{}));
  }
  if (!the_run->takes_whole_steps() && !the_run->checks_next_step()) return 0;
  if (records && the_run->checks_every_step()) {
    the_run->left_to_corsika();
    the_run->begin_check(charged, is_dropped(charged), emission(), surroundings(charged, Step{}));
    return -1;
  }
  Step step{};
  // Bunch by bunch CORSIKA's loop goes on, whatever it emits: with CERWLEN the index is that of another
  // wavelength.
  if (the_run->takes_whole_steps()) light = bunches_of(charged, emission(), step);
  if (light == LightKind::kNone && !the_run->checks_next_step()) return 1;
  return the_run->step(light, step, surroundings(charged, step));
}

// A step with option CURVED whose caller reads the ends that CERENK changes.
int record_curved(ChargedStep& charged, double cos_earth) {
  const int i = chrste_.count;
  CurvedLoop loop;
  const CurvedFrame frame{var.c[0], var.obslev[0], cos_earth, *var.detsys != 0};
  ChargedStep changed = charged;
  const LightKind light = curved_loop_of(changed, frame, emission(), last_index, loop);
  if (light == LightKind::kOther) {
    do_recorded(true);
    return 0;
  }
  if (light == LightKind::kLinear) {
    RecordedSteps& steps = chrste_.current_chunk().steps;
    steps.set(i, charged);
    steps.weight[i] = 1.;  // THIN is not covered
    steps.cos_earth[i] = frame.in_detector_frame ? kInDetectorFrame : cos_earth;
    chrste_.count = i + 1;
    if (chrste_.count == kChunkSteps) do_recorded(false);
  }
  charged = changed;
  return 1;
}

int take_curved(ChargedStep& charged, double cos_earth) {
  if (the_run == nullptr && !start()) return 0;
  // A guard, for 7.7410 accepts one level with CURVED. With several levels CERENK of option CURVED has its
  // light end at the first, and the IACT package at the last.
  if (log_lines_wanted() || !the_run->takes_whole_steps() || *var.nobslv != 1) {
    do_recorded(true);
    the_run->left_to_corsika();
    return 0;
  }
  if (records) return record_curved(charged, cos_earth);
  const CurvedFrame frame{var.c[0], var.obslev[0], cos_earth, *var.detsys != 0};
  CurvedLoop loop{};
  ChargedStep changed = charged;
  LightKind light = curved_loop_of(changed, frame, emission(), last_index, loop);
  if (the_run->checks_next_step() && is_dropped(charged)) light = LightKind::kNone;
  if (light == LightKind::kNone && !the_run->checks_next_step()) {
    charged = changed;
    return 1;
  }
  const int done =
      the_run->step(light, loop, {var.c[0], distip_, tofip_}, emission(), surroundings(charged, Step{}));
  if (done == 1) charged = changed;
  return done;
}

}  // namespace
}  // namespace cherenkov::corsika

void chrgeo_(const std::int32_t* unread, std::int32_t* detsys, const double* hlay, const double* datm) {
  using namespace cherenkov::corsika;
  var.ends_unread = *unread != 0;
  var.detsys = detsys, var.hlay = hlay, var.datm = datm;
}

void chrcrv_(std::int32_t* done, const double* stepcr, const double* umean, const double* vmean,
             const double* wmean, const double* ebeg, const double* eend, double* xbeg, double* ybeg,
             double* zbeg, double* xend, double* yend, double* zend, const double* tbeg, const double* tend,
             const double* amass, const double* charge, const double* ctea) {
  using namespace cherenkov::corsika;
  *done = 0;
  if (off) return;
  ChargedStep charged{*stepcr, *umean, *vmean, *wmean, *ebeg, *eend, *xbeg,  *ybeg,
                      *zbeg,   *xend,  *yend,  *zend,  *tbeg, *tend, *amass, *charge};
  *done = guarded([&] { return take_curved(charged, *ctea); });
  if (*done != 1) return;
  *xbeg = charged.x_begin, *ybeg = charged.y_begin, *zbeg = charged.z_begin;
  *xend = charged.x_end, *yend = charged.y_end, *zend = charged.z_end;
}

void chrrun_(const std::int32_t* reason, const std::int32_t* later, const double* c, const double* cyield,
             const double* cersiz, const double* etadsn, const double* pi2, const double* cosang,
             const double* sinang, const double* obslev, const double* xoff, const double* yoff,
             const double* thckob, const std::int32_t* nobslv, const std::int32_t* iatmox,
             const std::int32_t* frefrx, const std::int32_t* debug, const std::int32_t* lcerdb,
             const std::int32_t* fegsdb) {
  using namespace cherenkov::corsika;
  off = !Run::is_wanted(*reason);
  may_defer = *later != 0;
  var.c = c, var.cyield = cyield, var.cersiz = cersiz, var.etadsn = etadsn, var.pi2 = pi2;
  var.cosang = cosang, var.sinang = sinang, var.obslev = obslev, var.xoff = xoff, var.yoff = yoff;
  var.thckob = thckob, var.nobslv = nobslv, var.iatmox = iatmox, var.frefrx = frefrx;
  var.debug = debug, var.lcerdb = lcerdb, var.fegsdb = fegsdb;
}

void chrlng_(const DistributionKind* kind, const std::int32_t* llongi, double* plong9, const double* edges,
             const std::int32_t* nstep, const std::int32_t* lngmax, const double* thstep,
             const double* thstpi, const double* sthcph, const double* sthsph, const double* cth,
             const double* rloff) {
  using namespace cherenkov::corsika;
  var.kind = *kind, var.llongi = llongi, var.plong9 = plong9, var.edges = edges, var.nstep = nstep;
  var.lngmax = lngmax, var.thstep = thstep, var.thstpi = thstpi, var.sthcph = sthcph, var.sthsph = sthsph;
  var.cth = cth, var.rloff = rloff;
}

void chrstp_(std::int32_t* done, const double* stepcr, const double* umean, const double* vmean,
             const double* wmean, const double* ebeg, const double* eend, const double* xbeg,
             const double* ybeg, const double* zbeg, const double* xend, const double* yend,
             const double* zend, const double* tbeg, const double* tend, const double* amass,
             const double* charge) {
  using namespace cherenkov::corsika;
  *done = 0;
  if (!off && var.detsys == nullptr) {  // CURVED and a CERENK with other arguments: not covered
    const ChargedStep charged{*stepcr, *umean, *vmean, *wmean, *ebeg, *eend, *xbeg,  *ybeg,
                              *zbeg,   *xend,  *yend,  *zend,  *tbeg, *tend, *amass, *charge};
    *done = guarded([&] { return take(charged); });
  }
  // A check compares the stage with CORSIKA's own routines.
  begin_photons(!off && the_run != nullptr && !the_run->checks_any());
}

void chrfls_() {
  using namespace cherenkov::corsika;
  if (the_run == nullptr || off) return;
  // CERENK calls it with a full record, and others whatever there is.
  guarded([] {
    do_recorded(chrste_.count < kChunkSteps);
    return 0;
  });
}

void chrend_() {
  using namespace cherenkov::corsika;
  guarded([] {
    the_run->end_checked_step();
    return 0;
  });
}

int cherenkov_raybnd(double* height, double* u, double* v, double* w, double* x, double* y, double* t) {
  using namespace cherenkov::corsika;
  const Bunch bunch{0., *x, *y, *u, *v, *w, *height, *t};
  return guarded([&] { return the_run->refract(bunch, var.obslev[*var.nobslv - 1]) ? 1 : 0; });
}

int cherenkov_telout(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
                     double* height, double* wavelength) {
  using namespace cherenkov::corsika;
  return guarded([&] { return the_run->collect(photons, weight, x, y, u, v, t, height, wavelength); });
}

void cherenkov_end_of_event() {
  using namespace cherenkov::corsika;
  if (the_run == nullptr || off) return;
  guarded([] {
    do_recorded(true);
    the_run->end_event();
    return 0;
  });
}
