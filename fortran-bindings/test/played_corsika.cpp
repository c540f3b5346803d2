#include <pthread.h>

#include <cerrno>

#include "entry_fixture.hpp"
#include "played_steps.hpp"

extern "C" int __real_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
extern "C" int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                     void* (*work)(void*), void* argument) {
  if (cherenkov::test::no_more_threads) return EAGAIN;
  return __real_pthread_create(thread, attributes, work, argument);
}

extern "C" {
PlayedVariables testch_ = {};
PlayedLog testlg_ = {};
std::int32_t testcf_ = 0;
decltype(testat_) testat_ = {};
void (*ranmar_before_reading)() = nullptr;
double thick_(double* height);
double refidx_(double* height);
double rhof_(double* height);
}

namespace cherenkov::test {

Package& staged_package() {
  static Package package(1.27e5, 5);
  return package;
}
Fails fails = Fails::kNothing;
bool no_more_threads = false;
decltype(&chrini_) build = chrin1_;
int own_calls = 0;
const std::int32_t* watched_frame = nullptr;
std::vector<std::int32_t> frames_seen;
std::array<double, 3> ends_seen = {};
double index_jump_height = HUGE_VAL;

namespace {

const corsika::Routines& routines() {
  static const corsika::Routines all = staged_package().routines();
  return all;
}
void fail_if(Fails now) {  // once
  if (fails == now) fails = Fails::kNothing, throw std::runtime_error("played: it fails");
}

corsika::Emission emission() {
  const PlayedVariables& v = testch_;
  return {v.c[28], v.cyield, v.cersiz, v.etadsn, v.iatmox >= 1, refidx_, rhof_};
}

// The surroundings that CORSIKA's variables now stand for.
corsika::ObservationContext the_surroundings;

}  // namespace

void set_variables(const corsika::ObservationContext& context) {
  the_surroundings = context;
  PlayedVariables& v = testch_;
  v.nobslv = 2;
  v.obslev[1] = context.plane.height, v.xoff[1] = context.plane.x0, v.yoff[1] = context.plane.y0;
  v.cosang = context.plane.cos_turn, v.sinang = context.plane.sin_turn;
  v.pi2 = context.two_pi, v.c[28] = context.cut_w;
  v.llongi = context.fill_profile ? 1 : 0;
  const corsika::DepthProfile& p = context.profile;
  v.nstep = p.bins, v.thstpi = p.bins_per_depth;
  v.sthcph = p.axis.along_x, v.sthsph = p.axis.along_y, v.cth = p.axis.along_z, v.rloff = p.axis.start;
  const std::size_t bytes = static_cast<std::size_t>(p.max_bins + 1) * sizeof(double);
  std::memcpy(v.rlong, p.edge, bytes);
  std::memcpy(v.plong9, p.photons, bytes);
}

void get_profile(double* profile) {
  std::memcpy(profile, testch_.plong9,
              static_cast<std::size_t>(the_surroundings.profile.max_bins + 1) * sizeof(double));
}

void call_cerenk(const corsika::ChargedStep& s) {
  Arguments arguments{s};
  calcer_(&arguments.step.length);
}

void plain_cerenk_loop(const corsika::ChargedStep& charged, const corsika::ObservationContext& context,
                       Package& package) {
  const PlainCerenk plain = plain_cerenk(charged, emission());
  corsika::ObservationContext own = context;
  const PlayedVariables& v = testch_;
  if (v.frefrx == 0)
    own.straight = {charged.z_begin,        charged.z_end, charged.length, v.etadsn,
                    v.thckob[v.nobslv - 1], v.c[24],       thick_};
  if (plain.loop >= 0) plain_step(plain.step, own, package, nullptr, plain.beta_n);
}

}  // namespace cherenkov::test

namespace cherenkov::corsika {
std::unique_ptr<DeviceSteps> start_device_steps(const std::string& /*device*/,
                                                std::span<std::byte> /*memory*/) {
  static test::StepsScript script;
  return std::make_unique<test::PlayedSteps>(script);
}
}  // namespace cherenkov::corsika

using namespace cherenkov::test;

extern "C" {

void chrini_(cherenkov::corsika::Variables* variables) { build(variables); }

double distip_(double* cosine, double* height) { return RayTable::distance(cosine, height); }
double tofip_(double* cosine, double* height) { return RayTable::time(cosine, height); }

void rmmard_(double* numbers, int* n, int* sequence) {
  fail_if(Fails::kDraws);
  routines().draw(numbers, n, sequence);
}
void rnmskp_(const int* n, const int* sequence) {
  fail_if(Fails::kDraws);
  routines().step_over(n, sequence);
}
void rnmget_(const int* sequence, int* iseed) { routines().sequence_counters(sequence, iseed); }
void rnmexp_(const int* sequence, double* u, double* c, int* indices, int* iseed) {
  routines().sequence_state(sequence, u, c, indices, iseed);
}
std::uint64_t ranmar_drawn_in_all() { return staged_package().drawn; }
void cherenkov_stock_raybnd_(double* height, double* u, double* v, double* w, double* x, double* y,
                             double* t) {
  routines().refract(height, u, v, w, x, y, t);
}
int cherenkov_stock_telout_(double* photons, double* weight, double* x, double* y, double* u, double* v,
                            double* t, double* height, double* wavelength) {
  fail_if(Fails::kCollect);
  Hit light{*photons, *weight, *x, *y, *u, *v, *t, *height, *wavelength};
  return routines().collect(light);
}
#include "cherenkov_atmo.h"
// As in cherenkov_iact.h, which stands in the package's own file.
int telout_(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
            double* height, double* wavelength) {
  if (cherenkov_looks_at_bunches != 0)
    return cherenkov_telout(photons, weight, x, y, u, v, t, height, wavelength);
  return cherenkov_stock_telout_(photons, weight, x, y, u, v, t, height, wavelength);
}
int cherenkov_thcksi_is_ours() { return testch_.llongi; }  // CORSIKA fills its table for LONGI T alone
double thcksi_(double* distance) { return routines().thickness(distance); }
int cherenkov_iact_telescopes(double* footprints, double* spheres, double* impact, int most) {
  return routines().telescopes(footprints, spheres, impact, most);
}
void cherenkov_iact_counters(double** photons, double** bunches) {
  fail_if(Fails::kCounters);
  routines().counters(photons, bunches);
}
long cherenkov_iact_stored() { return static_cast<long>(staged_package().hits.size()); }
double refidx_(double* height) {
  fail_if(Fails::kIndices);
  return 1. + (index_of(height) - 1.) * (*height > index_jump_height ? 1.002 : 1.);
}
double rhof_(double* height) { return density_of(height); }

// What INRTAB makes, and what it depends on.
PlayedRefraction played_refraction;
void chrrtb_() {
  ++played_refraction.made;
  for (int k = 0; k < 3; ++k) {
    played_refraction.distance[k] = k + testch_.etadsn;
    played_refraction.time[k] = k - testch_.etadsn + played_refraction.unlike;
  }
}
// As refraction_table.inc.
void rftini_(std::int64_t* handed) {
  static const double pi = 3.141592653589793;
  const void* const variables[] = {played_refraction.distance,
                                   played_refraction.time,
                                   testch_.obslev,
                                   testch_.c,
                                   &pi,
                                   &testch_.etadsn,
                                   &testlg_.debug,
                                   &testlg_.lcerdb};
  std::memcpy(handed, variables, sizeof variables);
  handed[8] = 3, handed[9] = testch_.iatmox;
}
double thick_(double* height) { return 1030. * std::exp(-*height / 8.4e5); }

// CORSIKA's own CERENK, whose light comes by RAYBND and TELOUT.
void chrcer_(const double* stepcr, const double* umean, const double* vmean, const double* wmean,
             const double* ebeg, const double* eend, const double* xbeg, const double* ybeg,
             const double* zbeg, const double* xend, const double* yend, const double* zend,
             const double* tbeg, const double* tend, const double* amass, const double* charge,
             const double* wtthin, const double* ctea) {
  ++own_calls;
  ends_seen = {*xend, *yend, *ctea};
  if (watched_frame != nullptr) {
    frames_seen.push_back(*watched_frame);
    return;
  }
  const cherenkov::corsika::ChargedStep charged{*stepcr, *umean, *vmean, *wmean,  *ebeg,  *eend,
                                                *xbeg,   *ybeg,  *zbeg,  *xend,   *yend,  *zend,
                                                *tbeg,   *tend,  *amass, *charge, *wtthin};
  cherenkov::corsika::ObservationContext context = the_surroundings;
  context.profile.photons = testch_.plong9;
  const Package::Watch watch{{},
                             [](double height, double& u, double& v, double& w, double& x, double& y,
                                double& t) { raybnd_(&height, &u, &v, &w, &x, &y, &t); },
                             [](Hit light) {
                               telout_(&light[0], &light[1], &light[2], &light[3], &light[4], &light[5],
                                       &light[6], &light[7], &light[8]);
                             }};
  staged_package().watch = &watch;
  plain_cerenk_loop(charged, context, staged_package());
  staged_package().watch = nullptr;
}

}  // extern "C"
