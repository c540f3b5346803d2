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

// How CORSIKA fills its longitudinal distribution of light: the values of CHR_KIND in cherenkov_cerenk.inc.
enum class DistributionKind : std::int32_t {
  slant = 0,                // with option SLANT
  slant_always_spread = 1,  // with SLANT, and a CERLDE without a short cut for light of one bin
  height = 2                // without SLANT
};

// COMMON /CHRARG/: the arguments of chrstp_, by CERENK's names and in its order. Lengths in cm, heights
// above sea level, times in s, depths in g/cm^2. Steps and planes are those of cherenkov/step.hpp and
// cherenkov/plane.hpp.
struct CherenkovArguments {
  double pathl;             // one spacing before the first bunch: distance along the step
  double xemis;             // x
  double yemis;             // y
  double zem;               // height
  double temis;             // time
  double pstep;             // from one bunch to the next: distance along the step
  double xstep;             // in x
  double ystep;             // in y
  double zstep;             // in height
  double tstep;             // in time
  double betani;            // beta*n at the step's begin, where loopfl is 1
  double dbetan;            // its change, per cm
  double betam;             // beta in the middle of the step
  double eta1m;             // refractive index there
  double cinten;            // photons per cm over the squared sine of the Cherenkov angle
  double sinps2;            // squared sine of the particle's zenith angle
  double sinpsi;            // that sine
  double tc11, tc12, tc13;  // the particle's frame: cu, su, u0 of a Step
  double tc21, tc22, tc23;  // cv, sv, v0
  double tc32, tc33;        // sw, w0
  double obslev;            // height of the detection plane
  double xoff, yoff;        // origin of the telescopes' frame
  double cosang, sinang;    // of the angle to the telescopes' frame
  double c29;               // minimum w of light that CORSIKA keeps
  double pi2;               // 2 pi
  double thstpi;            // bins of the longitudinal distribution per g/cm^2
  double sthcph, sthsph;    // direction of the shower axis in x and y
  double cth;               // and downwards
  double rloff;             // distance along the axis of the origin of coordinates
  double thstep;            // depth of a bin, for kind `height` alone
  double zbeg, zend;        // heights of the step's ends, as the next four only where frefrx is false
  double stepcr;            // its length
  double etadsn;            // (n - 1) / density of the air, cm^3/g
  double thckob;            // depth of the detection plane
  double c25;               // speed of light, cm/s
  std::int32_t mstepc;      // number of bunches
  std::int32_t loopfl;      // 0: one bunch, with the values of the middle; 1: beta*n is linear in the path
  std::int32_t nstep;       // bins of the longitudinal distribution in use
  std::int32_t lngmax;      // last index of its arrays
  DistributionKind kind;
  std::int32_t frefrx;  // whether light is refracted
  std::int32_t llongi;  // whether light goes into the longitudinal distribution
  std::int32_t debug;   // DEBUG or LCERDB: CERENK or what it calls writes lines into the log
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
// plong9: PLONG(0,9); edges: RLONG, or HLONG for kind `height`.
void chrstp_(int* done, double* plong9, const double* edges);

// In CERENK's own loop, before RAYBND: 1 where this bunch is counted and CERENK need do no more.
void chrbun_(int* skipped, const double* photcm, const double* xcer, const double* ycer, const double* uemis,
             const double* vemis, const double* wemis, const double* zem, const double* temis,
             const double* obslev, const std::int32_t* frefrx);

// At the end of an event, before TELEND: follows all light that is pending.
void chrfls_();
}
