// What the patched CERENK calls, and the COMMON blocks that it shares with the stage
// (include/cherenkov_flag.inc). All variables are CERENK's own, by its names. No exception leaves a function
// of this file: where the stage fails before anything of a step was drawn or counted, CORSIKA's own code goes
// on; else the program ends, with its output written.
#pragma once

#include <cstdint>

extern "C" {
// COMMON /CHRFLG/
struct CherenkovFlag {
  int off;   // not 0 once the stage is known to be off; CERENK then calls none of these
  int told;  // not 0 once chrone_ was called
};
extern CherenkovFlag chrflg_;

// COMMON /CHRARG/: the arguments of chrstp_. Lengths in cm, times in s.
struct CherenkovArguments {
  double pathl, xemis, yemis, zem, temis;                       // before the first bunch
  double pstep, xstep, ystep, zstep, tstep;                     // between two bunches
  double betani, dbetan, betam, eta1m, cinten, sinps2, sinpsi;  // velocity times index; yield; zenith angle
  double tc11, tc12, tc13, tc21, tc22, tc23, tc32, tc33;        // the particle's frame
  double obslev, xoff, yoff, cosang, sinang;                    // the detection plane
  double c29, pi2;
  double thstpi, sthcph, sthsph, cth, rloff,
      thstep;  // the longitudinal distribution; the last one for kind 2 alone
  double zbeg, zend, stepcr, etadsn, thckob, c25;  // where frefrx is false
  std::int32_t mstepc, loopfl, nstep, lngmax;
  std::int32_t kind;  // 0: SLANT; 1: SLANT, and CERLDE has no short cut for light of one bin; 2: no SLANT
  std::int32_t frefrx, llongi;
  std::int32_t debug;  // DEBUG or LCERDB: CERENK or what it calls writes lines into the log
};
extern CherenkovArguments chrarg_;

// Where the options that CORSIKA was built with are not covered: says so in one line, unless the stage is
// off.
void chrnot_();

// Where CERENK's own loop goes on, and chrbun_ is all that is called: says why in one line, unless the stage
// is off. reason: 1 NOCLONG, 2 AUGCERLONG, 3 CEFFIC, 4 CERWLEN, 5 no SLANT, and a CERLDE that the patcher
// does not know.
void chrone_(const int* reason);

// The loop over the bunches of the step in chrarg_: 1 where the stage emitted it, 0 where CERENK must.
// plong9: PLONG(0,9); edges: RLONG, or HLONG for kind 2.
void chrstp_(int* done, double* plong9, const double* edges);

// In CERENK's own loop, before RAYBND: 1 where this bunch is counted and CERENK need do no more.
void chrbun_(int* skipped, const double* photcm, const double* xcer, const double* ycer, const double* uemis,
             const double* vemis, const double* wemis, const double* zem, const double* temis,
             const double* obslev, const std::int32_t* frefrx);

// At the end of an event, before TELEND: follows all light that is pending.
void chrfls_();
}
