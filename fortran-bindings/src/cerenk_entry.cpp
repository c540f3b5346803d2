#include "cerenk_entry.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "corsika_runtime/cherenkov/backend.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"

extern "C" {
void rmmard_(double* numbers, int* n, int* sequence);
void raybnd_(double* height, double* u, double* v, double* w, double* x, double* y, double* t);
int telout_(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
            double* height, double* wavelength);
// One of the two where the build has no option SLANT, and none of it is called then.
__attribute__((weak)) double thcksi_(double* distance);
__attribute__((weak)) double thick_(double* height);
int cherenkov_iact_telescopes(double* footprints, double* spheres, double* impact, int most);
void cherenkov_iact_counters(double** photons, double** bunches);
// Of this project's generator; not there where the program has CORSIKA's own.
__attribute__((weak)) void rnmskp_(const int* n, const int* sequence);
__attribute__((weak)) void rnmget_(const int* sequence, int* iseed);
__attribute__((weak)) void rnmexp_(const int* sequence, double* u, double* c, int* indices, int* iseed);
}

namespace cherenkov::corsika {
namespace {

// From starting it to its first batch is what a device costs a run, apart from its work.
double device_start_seconds = 0.;

std::unique_ptr<DeviceBatches> start_device() {
  const auto begin = std::chrono::steady_clock::now();
  const char* device = std::getenv("RANMAR_DEVICE");
  auto batches = start_device_batches(device == nullptr ? "auto" : device);
  device_start_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return batches;
}

// Without a word where there is none: nobody asked for it.
std::unique_ptr<DeviceBatches> start_device_if_any() {
  try {
    return start_device();
  } catch (const std::exception&) {
    return nullptr;
  }
}

// With an array of 60 telescopes a device saves 0.16 us a step at CERSIZ 5, 0.21 at CERSIZ 1, and starting it
// costs 0.14 to 0.37 s (docs/results.md): so many steps without it have cost as much as it would.
constexpr std::uint64_t kAutoSteps = 1500000;

Stage make_stage() {
  const Routines routines{
      rmmard_, raybnd_, telout_, thcksi_, cherenkov_iact_telescopes, cherenkov_iact_counters,
      rnmskp_, rnmget_, rnmexp_};
  if (stage_wanted() == Wanted::kDevice) return Stage(routines, start_device);
  if (stage_wanted() == Wanted::kAuto) return Stage(routines, start_device_if_any, kAutoSteps);
  return Stage(routines);
}

Stage& stage() {
  static Stage the_stage = make_stage();
  return the_stage;
}

void summary() {
  const Counts& counts = stage().counts();
  std::fprintf(stderr,
               "cherenkov: backend=%s steps=%llu left_to_corsika=%llu bunches=%llu "
               "rings=%llu traced=%llu skipped=%llu maps=%llu",
               stage().deferred() != nullptr && stage().deferred()->works() ? "gpu" : "cpu",
               static_cast<unsigned long long>(counts.steps),
               static_cast<unsigned long long>(counts.stock_steps),
               static_cast<unsigned long long>(counts.bunches), static_cast<unsigned long long>(counts.rings),
               static_cast<unsigned long long>(counts.chosen),
               static_cast<unsigned long long>(counts.skipped), static_cast<unsigned long long>(counts.maps));
  if (const Deferred* deferred = stage().deferred())
    std::fprintf(stderr, " queued=%llu batches=%llu wait_s=%.6f start_s=%.3f",
                 static_cast<unsigned long long>(counts.queued),
                 static_cast<unsigned long long>(deferred->batches()), deferred->wait_seconds(),
                 device_start_seconds);
  std::fprintf(stderr, "\n");
}

bool start() {
  if (stage_wanted() == Wanted::kNothing) {
    chrflg_.off = 1;
    return false;
  }
  const char* asked = std::getenv("CHERENKOV_SUMMARY");
  if (asked != nullptr && *asked != '\0' && *asked != '0') std::atexit(summary);
  return true;
}

// The stage's part of a step that CERENK has begun; 1 where it was emitted here, 0 where CERENK must.
int take(int loopfl, double sinps2, bool debug, const Step& step, const Surroundings& around) {
  if (loopfl > 1 || sinps2 <= 1e-12 || debug) {
    stage().left_to_corsika();
    return 0;
  }
  return stage().emit(step, around) ? 1 : 0;
}

bool on() {
  static const bool started = start();
  return started;
}

// What chrair_, chrspr_ and chrhgt_ told before.
StraightLight straight;
bool straight_known = false;
DepthProfile::Kind profile_kind = DepthProfile::Kind::kSlant;
double bin_depth = 0.;

}  // namespace
}  // namespace cherenkov::corsika

void chrair_(const double* zbeg, const double* zend, const double* stepcr, const double* etadsn,
             const double* thckob, const double* c25) {
  using namespace cherenkov::corsika;
  straight = {*zbeg, *zend, *stepcr, *etadsn, *thckob, *c25, thick_};
  straight_known = true;
}

void chrspr_() { cherenkov::corsika::profile_kind = cherenkov::corsika::DepthProfile::Kind::kSlantSpread; }

void chrhgt_(const double* thstep) {
  cherenkov::corsika::profile_kind = cherenkov::corsika::DepthProfile::Kind::kHeight;
  cherenkov::corsika::bin_depth = *thstep;
}

void chrbun_(int* skipped, const double* photcm, const double* xcer, const double* ycer, const double* uemis,
             const double* vemis, const double* wemis, const double* zem, const double* temis,
             const double* obslev, const std::int32_t* frefrx) {
  using namespace cherenkov::corsika;
  const Bunch bunch{*photcm, *xcer, *ycer, *uemis, *vemis, *wemis, *zem, *temis};
  *skipped = on() && stage().skip(bunch, *obslev, *frefrx == 0) ? 1 : 0;
}

void chrfls_() {
  using namespace cherenkov::corsika;
  if (on()) stage().flush();
}

void chrstp_(int* done, const int* mstepc, const int* loopfl, const double* betani, const double* dbetan,
             const double* betam, const double* eta1m, const double* cinten, const double* pstep,
             const double* pathl, const double* xemis, const double* yemis, const double* zem,
             const double* temis, const double* xstep, const double* ystep, const double* zstep,
             const double* tstep, const double* sinps2, const double* sinpsi, const double* tc11,
             const double* tc12, const double* tc13, const double* tc21, const double* tc22,
             const double* tc23, const double* tc32, const double* tc33, const double* obslev,
             const double* xoff, const double* yoff, const double* cosang, const double* sinang,
             const double* c29, const double* pi2, const std::int32_t* frefrx, const std::int32_t* llongi,
             double* plong9, const double* rlong, const int* nstep, const int* lngmax, const double* thstpi,
             const double* sthcph, const double* sthsph, const double* cth, const double* rloff,
             const std::int32_t* debug) {
  using namespace cherenkov;
  using namespace cherenkov::corsika;
  *done = 0;
  if (!on()) return;
  const bool linear = *loopfl == 1;
  const Step step{*mstepc,
                  {*pathl, *xemis, *yemis, *zem, *temis},
                  {*pstep, *xstep, *ystep, *zstep, *tstep},
                  linear ? *betani : *betam * *eta1m,
                  linear ? *dbetan : 0.,
                  *cinten * *pstep,
                  *tc11,
                  *tc12,
                  *tc13,
                  *tc21,
                  *tc22,
                  *tc23,
                  *tc32,
                  *tc33};
  const Surroundings around{{*obslev, *xoff, *yoff, *cosang, *sinang, 0., 0.},
                            *pi2,
                            *c29,
                            *sinpsi,
                            *llongi != 0,
                            {plong9, rlong, *nstep, *lngmax, *thstpi, *sthcph, *sthsph, *cth, *rloff,
                             profile_kind, bin_depth, thick_},
                            *frefrx == 0 ? &straight : nullptr};
  const bool unknown = *frefrx == 0 && !straight_known;
  *done = take(*loopfl, *sinps2, *debug != 0 || unknown, step, around);
}
