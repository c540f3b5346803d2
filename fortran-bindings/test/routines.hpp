// The routines of routines.F and the library's own, for tests in C++.
#pragma once

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

namespace classic {

// The classic routines, written plainly, in doubles: what every replacement is held against in these tests.

inline constexpr int kKseq = 9;

struct Sequence {
  std::array<double, 97> u{};
  double c = 0.;
  std::int32_t ijkl = 0, i97 = 0, j97 = 0, ntot = 0, ntot2 = 0;
};

struct Generator {
  std::array<Sequence, kKseq + 1> sequence{};
  int last = 1;

  void step(Sequence& s, double& uni) const {
    uni = s.u[s.i97 - 1] - s.u[s.j97 - 1];
    if (uni < 0.) uni += 1.;
    s.u[s.i97 - 1] = uni;
    if (--s.i97 == 0) s.i97 = 97;
    if (--s.j97 == 0) s.j97 = 97;
    s.c -= 7654321. / 16777216.;
    if (s.c < 0.) s.c += 16777213. / 16777216.;
  }

  void seed(int number, std::int32_t ijkl, std::int32_t ntot, std::int32_t ntot2) {
    Sequence& s = sequence[number];
    s.ijkl = ijkl;
    s.ntot = ntot;
    s.ntot2 = ntot2;
    const int ij = ijkl / 30082;
    const int kl = ijkl - 30082 * ij;
    int i = (ij / 177) % 177 + 2;
    int j = ij % 177 + 2;
    int k = (kl / 169) % 178 + 1;
    int l = kl % 169;
    for (double& u : s.u) {
      u = 0.;
      double t = 0.5;
      for (int bit = 0; bit < 48; ++bit, t *= 0.5) {
        const int m = ((i * j) % 179 * k) % 179;
        i = j;
        j = k;
        k = m;
        l = (53 * l + 1) % 169;
        if ((l * m) % 64 >= 32) u += t;
      }
    }
    s.c = 362436. / 16777216.;
    s.i97 = 97;
    s.j97 = 33;
    double uni = 0.;
    for (int loop = 1; loop <= ntot2 + 1; ++loop) {
      const std::int32_t steps = loop > ntot2 ? ntot : 1000000000;
      for (std::int32_t n = 0; n < steps; ++n) step(s, uni);
    }
  }

  void add(Sequence& s, std::int32_t numbers) const {
    s.ntot += numbers;
    if (s.ntot >= 1000000000) {
      s.ntot2 += 1;
      s.ntot -= 1000000000;
    }
  }

  double one(int number, bool zero_rule = true) {
    Sequence& s = sequence[number];
    double uni = 0.;
    step(s, uni);
    uni -= s.c;
    if (uni < 0.) uni += 1.;
    if (zero_rule && uni == 0.) uni = 0x1p-48;
    add(s, 1);
    return uni;
  }

  void vector(double* out, std::int32_t n, int number) {
    for (std::int32_t i = 0; i < n; ++i) {
      Sequence& s = sequence[number];
      const Sequence before = s;
      out[i] = one(number);
      s.ntot = before.ntot;
      s.ntot2 = before.ntot2;
    }
    add(sequence[number], n);
  }

  void rmmard(double* out, std::int32_t n, int asked) {
    if (asked > 0 && asked <= kKseq) last = asked;
    vector(out, n, last);
  }

  float single(int number, bool zero_rule) {
    for (;;) {
      const auto value = static_cast<float>(one(number, zero_rule));
      if (value != 0.F && value != 1.F) return value;
    }
  }
};

}  // namespace classic
