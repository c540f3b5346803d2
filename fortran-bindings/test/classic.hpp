// The classic routines, written plainly, in doubles: what every replacement is held against in these tests.
#pragma once

#include <array>
#include <cstdint>

namespace classic {

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
