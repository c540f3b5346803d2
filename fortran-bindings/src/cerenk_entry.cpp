#include "cerenk_entry.hpp"

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "corsika_runtime/cherenkov/backend.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "end_run.hpp"

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
// Entries of this project's generator; not there where the program has CORSIKA's own.
__attribute__((weak)) void rnmskp_(const int* n, const int* sequence);
__attribute__((weak)) void rnmget_(const int* sequence, int* iseed);
__attribute__((weak)) void rnmexp_(const int* sequence, double* u, double* c, int* indices, int* iseed);

// As long as the COMMON block: 44 DOUBLE PRECISION, 5 INTEGER and 3 LOGICAL variables.
static_assert(sizeof(CherenkovArguments) == 44 * 8 + 8 * 4 && offsetof(CherenkovArguments, mstepc) == 44 * 8);
alignas(64) CherenkovArguments chrarg_ = {};
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

// Says nothing where there is none: nobody asked for it.
std::unique_ptr<DeviceBatches> start_device_if_any() {
  try {
    return start_device();
  } catch (const std::exception&) {
    return nullptr;
  }
}

// With an array of 60 telescopes a device saves 0.16 us a step at CERSIZ 5, 0.21 at CERSIZ 1, and starting it
// costs 0.14 to 0.37 s (docs/notebook.md): so many steps without it have cost as much as it would.
constexpr std::uint64_t kAutoSteps = 1500000;

// Null until it is made. Never destroyed: the summary reads it as the last act of the program.
Stage* the_stage = nullptr;

Stage* make_stage() {
  const Routines routines{
      rmmard_, raybnd_, telout_, thcksi_, cherenkov_iact_telescopes, cherenkov_iact_counters,
      rnmskp_, rnmget_, rnmexp_};
  switch (requested_backend()) {
    case RequestedBackend::kDevice:
      return new Stage(routines, start_device);
    case RequestedBackend::kAuto:
      return new Stage(routines, start_device_if_any, kAutoSteps);
    default:
      return new Stage(routines);
  }
}

void summary() {
  const Counts counts = the_stage == nullptr ? Counts{} : the_stage->counts();
  const DeferredLight* deferred = the_stage == nullptr ? nullptr : the_stage->deferred();
  const auto number = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
  std::fprintf(stderr,
               "cherenkov: backend=%s steps=%llu left_to_corsika=%llu bunches=%llu "
               "rings=%llu traced=%llu skipped=%llu maps=%llu",
               deferred != nullptr && deferred->works() ? "gpu" : "cpu", number(counts.steps),
               number(counts.left_to_corsika), number(counts.bunches), number(counts.rings),
               number(counts.traced), number(counts.skipped), number(counts.maps));
  if (deferred != nullptr)
    std::fprintf(stderr, " queued=%llu batches=%llu wait_s=%.6f start_s=%.3f", number(counts.queued),
                 number(deferred->batches()), deferred->wait_seconds(), device_start_seconds);
  std::fprintf(stderr, "\n");
}

// False where the stage is off.
bool start() {
  if (requested_backend() == RequestedBackend::kOff) {
    chrflg_.off = 1;
    return false;
  }
  the_stage = make_stage();
  const char* asked = std::getenv("CHERENKOV_SUMMARY");
  if (asked != nullptr && *asked != '\0' && *asked != '0') std::atexit(summary);
  return true;
}

bool on() { return the_stage != nullptr || (chrflg_.off == 0 && start()); }

// Before the call returns, CORSIKA's own code takes over, or the program ends.
void hand_over(const char* why) noexcept {
  if (the_stage != nullptr && !the_stage->can_hand_over()) fortran_bindings::end_run("cherenkov", why);
  chrflg_.off = 1;
  std::fprintf(stderr, "cherenkov: %s; CORSIKA's own code goes on\n", why);
}

// What `work` returns, or false where it throws.
template <class Work>
bool guarded(Work&& work) noexcept {
  try {
    return on() && work();
  } catch (const std::exception& e) {
    hand_over(e.what());
  } catch (...) {
    hand_over("an unknown error");
  }
  return false;
}

// CERENK interpolates along the step where LOOPFL is 1; of one bunch (0) it takes the values of the middle.
Step step_of(const CherenkovArguments& a) {
  const bool linear = a.loopfl == 1;
  return {a.mstepc,
          {a.pathl, a.xemis, a.yemis, a.zem, a.temis},
          {a.pstep, a.xstep, a.ystep, a.zstep, a.tstep},
          linear ? a.betani : a.betam * a.eta1m,
          linear ? a.dbetan : 0.,
          a.cinten * a.pstep,
          a.tc11,
          a.tc12,
          a.tc13,
          a.tc21,
          a.tc22,
          a.tc23,
          a.tc32,
          a.tc33};
}

// The stage's part of a step that CERENK has begun; true where it was emitted here.
bool emit(const CherenkovArguments& a, double* plong9, const double* edges) {
  if (a.loopfl > 1 || a.sinps2 <= 1e-12 || a.debug != 0) {
    the_stage->left_to_corsika();
    return false;
  }
  static constexpr DepthProfile::Kind kKinds[] = {
      DepthProfile::Kind::kSlant, DepthProfile::Kind::kSlantSpread, DepthProfile::Kind::kHeight};
  const UnrefractedTiming straight{a.zbeg, a.zend, a.stepcr, a.etadsn, a.thckob, a.c25, thick_};
  const ObservationContext around{{a.obslev, a.xoff, a.yoff, a.cosang, a.sinang, 0., 0.},
                                  a.pi2,
                                  a.c29,
                                  a.sinpsi,
                                  a.llongi != 0,
                                  {plong9, edges, a.nstep, a.lngmax, a.thstpi, a.sthcph, a.sthsph, a.cth,
                                   a.rloff, kKinds[static_cast<int>(a.kind)], a.thstep, thick_},
                                  a.frefrx == 0 ? &straight : nullptr};
  return the_stage->emit(step_of(a), around);
}

}  // namespace
}  // namespace cherenkov::corsika

void chrstp_(int* done, double* plong9, const double* edges) {
  using namespace cherenkov::corsika;
  *done = guarded([&] { return emit(chrarg_, plong9, edges); }) ? 1 : 0;
}

void chrbun_(int* skipped, const double* photcm, const double* xcer, const double* ycer, const double* uemis,
             const double* vemis, const double* wemis, const double* zem, const double* temis,
             const double* obslev, const std::int32_t* frefrx) {
  using namespace cherenkov::corsika;
  const Bunch bunch{*photcm, *xcer, *ycer, *uemis, *vemis, *wemis, *zem, *temis};
  *skipped = guarded([&] { return the_stage->skip(bunch, *obslev, *frefrx == 0); }) ? 1 : 0;
}

void chrfls_() {
  using namespace cherenkov::corsika;
  guarded([] {
    the_stage->flush();
    return true;
  });
}
