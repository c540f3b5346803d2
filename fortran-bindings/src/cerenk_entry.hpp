// What the patched CERENK calls. The arguments of all of these are CERENK's own variables, by its names.
#pragma once

#include <cstdint>

extern "C" {
// COMMON /CHRFLG/: `off` is not 0 once the stage is known to be off; CERENK then calls none of these.
struct CherenkovFlag {
  int off;
};
extern CherenkovFlag chrflg_;

// Where the options that CORSIKA was built with are not covered: says so if the stage is asked for.
void chrnot_();

// Before chrstp_, where light is not bent.
void chrair_(const double* zbeg, const double* zend, const double* stepcr, const double* etadsn,
             const double* thckob, const double* c25);

// Before chrstp_, where CERLDE has no short cut for light of one bin.
void chrspr_();

// Before chrstp_ without option SLANT, whose rlong are then HLONG, and which needs none of sthcph to rloff.
void chrhgt_(const double* thstep);

// The loop over a step's bunches: 1 where the step was emitted here, 0 where CERENK must.
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
             const std::int32_t* debug);

// In CERENK's own loop, before RAYBND: 1 where this bunch is counted and CERENK need do no more.
void chrbun_(int* skipped, const double* photcm, const double* xcer, const double* ycer, const double* uemis,
             const double* vemis, const double* wemis, const double* zem, const double* temis,
             const double* obslev, const std::int32_t* frefrx);

// At the end of an event, before TELEND: follows all light that waits.
void chrfls_();
}
