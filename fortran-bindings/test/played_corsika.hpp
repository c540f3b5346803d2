// CORSIKA's routines, by their names, played, that is faked, by one Package for the life of a test program;
// its variables; and where they fail.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "corsika_runtime/cherenkov/charged_step.hpp"
#include "package.hpp"

extern "C" {
// COMMON /TESTCH/ of corsika.h.
struct PlayedVariables {
  double c[50], cyield, cersiz, etadsn, pi2, cosang, sinang, obslev[20], xoff[20], yoff[20], thckob[20],
      thstep, thstpi, sthcph, sthsph, cth, rloff, plong9[10000], rlong[10000], hlong[10000];
  std::int32_t nobslv, iatmox, frefrx, llongi, nstep;
};
extern PlayedVariables testch_;
// COMMON /TESTLG/
struct PlayedLog {
  std::int32_t debug, lcerdb, fegsdb;
};
extern PlayedLog testlg_;

void cerenk_(const double* stepcr, const double* umean, const double* vmean, const double* wmean,
             const double* ebeg, const double* eend, const double* xbeg, const double* ybeg,
             const double* zbeg, const double* xend, const double* yend, const double* zend,
             const double* tbeg, const double* tend, const double* amass, const double* charge,
             const double* wtthin, const double* ctea);
extern int cherenkov_proven_;  // 1; a test may set it to 0
void chrin1_();                // SLANT
void chrin2_();                // NOCLONG
void chrin4_();                // without SLANT
void chrin5_();                // SLANT and CERWLEN
void chrin6_();                // SLANT and CEFFIC
void chrin7_();                // SLANT and CURVED, see curved_call.F

// Of curved_call.F: an electron's step; arguments of CERENK as in chrcal_ (cerenk_entry.hpp). x_end and
// y_end: used in the detector's frame alone; set where not first_interaction_done.
void crvele_(double* arguments, const double* vstep, const std::int32_t* first_interaction_done,
             double* ctea);
// CERENK of curved_call.F.
void crvcer_(const double* stepcr, const double* umean, const double* vmean, const double* wmean,
             const double* ebeg, const double* eend, double* xbeg, double* ybeg, double* zbeg, double* xend,
             double* yend, double* zend, const double* tbeg, const double* tend, const double* amass,
             const double* charge, const double* wtthin, const double* ctea);
// COMMON /TESTCF/, /TESTAT/
extern std::int32_t testcf_;
extern struct { double hlay[5], datm[5]; } testat_;

// What these two options add; CORSIKA's names.
extern struct {
  double quaeff[201], mirref[201];
  int cerqef, cermir;
} testab_;
extern struct {
  double atmabs[51][201], ateobs[201];
  int cerata;
} testaa_;
extern struct { double wavlgl, cernor, wlmin; } testwl_;
extern double testwu_;  // WAVLGU
extern double testrd_[3000];
void telend_(float* evte);
}

namespace cherenkov::test {

// The entry keeps one stage, and so one package, for the life of the program.
Package& staged();

// Which build the program is: the routine that CHRINI is.
extern void (*build)();

// What fails when the stage calls it.
enum class Fails { kNothing, kCounters, kCountersAgain, kDraws, kCollect };
extern Fails fails;

// Whether no thread can be started.
extern bool no_more_threads;

// Sets CORSIKA's variables, and takes the distribution of light out of them.
void set_variables(const corsika::ObservationContext& context);
void get_profile(double* profile);

// Calls CERENK for a step.
void call_cerenk(const corsika::ChargedStep& charged);

// The light of a step in a CORSIKA without a stage.
void plain_cerenk_loop(const corsika::ChargedStep& charged, const corsika::ObservationContext& context,
                       Package& package);

// The refractive index less one is 0.2% more above this height, cm, as between layers of CORSIKA's
// atmospheres.
extern double index_jump_height;

// Calls of CHRCER so far.
extern int own_calls;
// Where not null: CORSIKA's own CERENK only adds what is there to frames_seen.
extern const std::int32_t* watched_frame;
extern std::vector<std::int32_t> frames_seen;
// XEND, YEND, CTEA of the last call of CHRCER.
extern std::array<double, 3> ends_seen;

}  // namespace cherenkov::test
