// The routines of routines.F and the library's own, for tests in C++.
#pragma once

#include <array>
#include <cstddef>

#include "corsika_runtime/generator/draw_path.hpp"

extern "C" {
extern ranmar::corsika::DrawCommon rnmdrw_;
void rmmard_(double*, const int*, const int*);
void rnmskp_(const int*, const int*);
void rnmvec_(double*, const int*, const int*);
void rnmone_(double*, const int*);
void rnmraw_(double*, const int*);
void writ11_();
void rmmaqt_(int* iseed, int* iseq, const int* option);
void grndm_(double*, const int*);
void rm48_(double*, const int*);
double ranf_(const int*);
double hwrgen_();
double hwrset_();
double hwrget_();
float rangen_();
float ranven_();
double draneg_(const double*);
double g900gt_();
double g900st_(const double*);
void inline_(double*, const int*);
void open11_(const char*, const int*, std::size_t);
void clos11_();
void conexs_(const int*, const int*);
extern struct {
  double diu0[100];
  int iiseed[6];
} cxransto_;
}

// Options of RMMAQD, in this order: ' ', 'S', 'SV', 'R', 'RV' and 'V'.
enum Option { kDefault = 1, kSeed, kReadBack, kRead, kWriteOut, kVectorAlone };

inline std::array<int, 3> rmmaqd(std::array<int, 3> seed, int& sequence, Option option) {
  const int number = option;
  rmmaqt_(seed.data(), &sequence, &number);
  return seed;
}

inline void conex(bool on, int sequence) {
  const int active = on ? 1 : 0;
  conexs_(&active, &sequence);
}
