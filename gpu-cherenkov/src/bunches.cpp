// What bunches carry, and the choice among them: one source for every instruction set, by Highway.
// Compiled with -ffp-contract=off: what emit computes must be the same bits everywhere.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/bunches.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
// (after foreach_target)
#include <hwy/highway.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "cherenkov/bunches.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Arrays are padded for vectors of up to 8 bunches, and masks of the chosen fit one byte.
using Lanes = hn::CappedTag<double, 8>;

// What bunches carry, from their beta*n; stored from i on.
template <class D, class V = hn::Vec<D> >
HWY_INLINE void Carry(D d, V beta_n, V photons_per_sin2, int i, BunchYields& light) {
  const auto one = hn::Set(d, 1.);
  const auto cosine = hn::Div(one, beta_n);
  const auto sine2 = hn::Mul(hn::Sub(one, cosine), hn::Add(one, cosine));
  hn::StoreU(cosine, d, light.cos_theta + i);
  hn::StoreU(sine2, d, light.sin2_theta + i);
  hn::StoreU(hn::Mul(photons_per_sin2, sine2), d, light.photons + i);
}

void Emit(const Step& step, const double* HWY_RESTRICT path, int n, BunchYields& light) {
  const Lanes d;
  const auto beta_n = hn::Set(d, step.beta_n);
  const auto slope = hn::Set(d, step.beta_n_slope);
  const auto yield = hn::Set(d, step.photons_per_sin2);
  for (int i = 0; i < n; i += static_cast<int>(hn::Lanes(d)))
    Carry(d, hn::Add(beta_n, hn::Mul(slope, hn::LoadU(d, path + i))), yield, i, light);
}

// Sums, products and their rounding rise with what is put in, or fall: what is the same at both ends of where
// the path is, is the same in between.
bool TryEmit(const Step& step, int first, int n, BunchYields& light) {
  const Lanes d;
  const auto beta_n = hn::Set(d, step.beta_n);
  const auto slope = hn::Set(d, step.beta_n_slope);
  const auto yield = hn::Set(d, step.photons_per_sin2);
  const auto before = hn::Set(d, step.before.path);
  const auto between = hn::Set(d, step.between.path);
  const auto size_before = hn::Abs(before);
  const auto size_between = hn::Abs(between);
  const auto ulp = hn::Set(d, 0x1p-53);
  const auto eight = hn::Set(d, 8.);
  const auto half = hn::Set(d, 0.5);
  for (int i = 0; i < n; i += static_cast<int>(hn::Lanes(d))) {
    const auto terms = hn::Add(hn::Iota(d, 0.), hn::Set(d, first + i + 1.));
    // Each of k sums is rounded by half its ulp at most, and together they are k (|before| + (k+1)/2
    // |between|) at most; eight of the last are for what is rounded here.
    const auto mean = hn::MulAdd(size_between, hn::MulAdd(terms, half, half), size_before);
    const auto last = hn::MulAdd(size_between, terms, size_before);
    const auto off = hn::Mul(ulp, hn::MulAdd(terms, mean, hn::Mul(eight, last)));
    const auto path = hn::MulAdd(between, terms, before);
    const auto low = hn::Add(beta_n, hn::Mul(slope, hn::Sub(path, off)));
    const auto high = hn::Add(beta_n, hn::Mul(slope, hn::Add(path, off)));
    if (!hn::AllTrue(d, hn::Eq(low, high))) return false;
    Carry(d, low, yield, i, light);
  }
  return true;
}

// The power of two at or below a sum whose terms lanes may round (running_sum.hpp); 0 where they may not.
HWY_INLINE double PowerOf(double sum) {
  if (!(sum > 0x1p-900 && sum < 0x1p1000)) return 0.;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) & 0x7ff0000000000000U);
}

// The paths of a step's bunches as running sums, one vector after the other.
struct RunningPath {
  double path, between;
  template <class D>
  HWY_INLINE hn::Vec<D> next(D d) {
    alignas(64) double paths[8];
    for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) paths[lane] = path += between;
    return hn::Load(d, paths);
  }
};

// How far a product may lie from the running sum that it stands for.
struct PathUncertainty {
  double product;  // of the path's product with the slope, at most
  bool narrow;     // beta n of all bunches lies in 1 + 2^-50 to 1.15, and product is below 2^-55

  PathUncertainty(const YieldAlongStep& line, double terms) {
    const double size_before = std::fabs(line.path_before), size_between = std::fabs(line.path_between);
    const double size = size_before + terms * size_between;
    const double off = 0x1p-53 * (terms * (size_before + 0.5 * (terms + 1.) * size_between) + 10. * size);
    const double slope = std::fabs(line.beta_n_slope);
    product = slope * (off + 0x1p-51 * size);
    const double span = 1.001 * slope * size;
    narrow = line.beta_n - span > 1. + 0x1p-50 && line.beta_n + span < 1.15 && product < 0x1p-55;
  }
};

constexpr int kMostAdded = 1024;  // whose paths are added up

// As TryEmit and running_sum together, without anything that is kept.
// kExact: paths are running sums. Else they are products, and beta n may be off by its last bit, 2^-52, where
// what rounding took from it, `residue`, is 2^-53 but for the path's uncertainty. It often is: the product of
// the middle bunch of an odd number is half the difference of two numbers near 1, that is half-way between
// two in every second step; and so at quarters. The cosine is then off by 2^-52 + 2^-53 (two roundings of
// 2^-54 among it), its sine squared by twice that and two roundings (2^-53 where the sine squared is below
// 1/4), the photons, once more rounded, by less than 2^-50 times the yield. That shows in a sum only where a
// term is as close to half-way between two multiples of the sum's ulp. other_sum: null where there is one
// sum, and not kTwo.
template <bool kTwo, bool kExact>
HWY_INLINE bool AddPhotons(const YieldAlongStep& line, int first, int n, double& sum, double* other_sum) {
  const double power = PowerOf(sum), other_power = kTwo ? PowerOf(*other_sum) : 1.;
  if (power == 0. || other_power == 0.) return false;
  const PathUncertainty uncertainty(line, static_cast<double>(first) + n);
  if (kExact ? first + n > kMostAdded : !uncertainty.narrow) return false;
  RunningPath running{line.path_before, line.path_between};
  if constexpr (kExact)
    for (int i = 0; i < first; ++i) running.path += running.between;

  const Lanes d;
  const auto beta_n = hn::Set(d, line.beta_n);
  const auto slope = hn::Set(d, line.beta_n_slope);
  const auto yield = hn::Set(d, line.photons_per_sin2);
  const auto certain = hn::Set(d, 0x1p-53 - uncertainty.product);
  const auto uncertain_photons = hn::Set(d, std::fabs(line.photons_per_sin2) * 0x1p-50);
  const auto one = hn::Set(d, 1.);
  const auto zero = hn::Zero(d);
  const auto rounder = hn::Set(d, power);
  const auto other_rounder = hn::Set(d, other_power);
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto before = hn::Set(d, line.path_before);
  const auto between = hn::Set(d, line.path_between);
  const auto step = hn::Set(d, static_cast<double>(lanes));
  auto number = hn::Add(hn::Iota(d, 0.), hn::Set(d, first + 1.));
  auto sums = zero, other_sums = zero, lost = zero, other_lost = zero, lowest = beta_n;
  const auto add = [&](auto mask_tail) {
    const auto path = kExact ? running.next(d) : hn::MulAdd(between, number, before);
    const auto product = hn::Mul(slope, path);
    const auto at = hn::Add(beta_n, product);
    const auto cosine = hn::Div(one, at);
    const auto photons = mask_tail(hn::Mul(yield, hn::Mul(hn::Sub(one, cosine), hn::Add(one, cosine))));
    auto off = zero;
    if constexpr (kExact) {
      lowest = hn::Min(lowest, at);
    } else {
      number = hn::Add(number, step);
      const auto residue = hn::Abs(hn::Sub(product, hn::Sub(at, beta_n)));  // exact: beta n is the larger
      off = mask_tail(hn::IfThenZeroElse(hn::Lt(residue, certain), uncertain_photons));
    }
    const auto rounded = hn::Sub(hn::Add(photons, rounder), rounder);
    lost = hn::Max(lost, hn::Add(hn::Abs(hn::Sub(photons, rounded)), off));
    sums = hn::Add(sums, rounded);
    if constexpr (kTwo) {
      const auto other_rounded = hn::Sub(hn::Add(photons, other_rounder), other_rounder);
      other_lost = hn::Max(other_lost, hn::Add(hn::Abs(hn::Sub(photons, other_rounded)), off));
      other_sums = hn::Add(other_sums, other_rounded);
    }
  };
  int i = 0;
  for (; i + lanes <= n; i += lanes) add([](auto photons) { return photons; });
  if (i < n)
    add([&](auto photons) {
      return hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(n - i)), photons);
    });
  const double all = sum + hn::GetLane(hn::SumOfLanes(d, sums));
  const double others = kTwo ? *other_sum + hn::GetLane(hn::SumOfLanes(d, other_sums)) : 1.;
  const bool good = hn::AllTrue(d, hn::And(hn::Lt(lost, hn::Set(d, power * 0x1p-53)),
                                           hn::Lt(other_lost, hn::Set(d, other_power * 0x1p-53)))) &&
                    (!kExact || hn::AllTrue(d, hn::Ge(lowest, one)));  // below 1, light would be negative
  if (!(good && all < 2. * power && others < 2. * other_power)) return false;
  sum = all;
  if constexpr (kTwo) *other_sum = others;
  return true;
}

bool TryAddPhotons(const YieldAlongStep& line, int first, int n, double& sum, double* other_sum) {
  if (other_sum == nullptr)
    return AddPhotons<false, false>(line, first, n, sum, nullptr) ||
           AddPhotons<false, true>(line, first, n, sum, nullptr);
  return AddPhotons<true, false>(line, first, n, sum, other_sum) ||
         AddPhotons<true, true>(line, first, n, sum, other_sum);
}

// Sine and cosine of an angle in turns, 0 to 1: Taylor series around the nearest quarter, good to 2e-9.
template <class D, class V = hn::Vec<D> >
HWY_INLINE void SineCosine(D d, V turns, V& sine, V& cosine) {
  const hn::RebindToUnsigned<D> du;
  const auto shift = hn::Set(d, 6755399441055744.);  // 1.5 * 2^52: the last bits of a sum are whole numbers
  const auto quarters = hn::Mul(turns, hn::Set(d, 4.));
  const auto shifted = hn::Add(quarters, shift);
  const auto quarter = hn::BitCast(du, shifted);
  const auto a = hn::Mul(hn::Sub(quarters, hn::Sub(shifted, shift)), hn::Set(d, 1.5707963267948966));
  const auto a2 = hn::Mul(a, a);
  auto s = hn::Set(d, 1. / 362880.);
  s = hn::MulAdd(s, a2, hn::Set(d, -1. / 5040.));
  s = hn::MulAdd(s, a2, hn::Set(d, 1. / 120.));
  s = hn::MulAdd(s, a2, hn::Set(d, -1. / 6.));
  s = hn::MulAdd(hn::Mul(s, a2), a, a);
  auto c = hn::Set(d, -1. / 3628800.);
  c = hn::MulAdd(c, a2, hn::Set(d, 1. / 40320.));
  c = hn::MulAdd(c, a2, hn::Set(d, -1. / 720.));
  c = hn::MulAdd(c, a2, hn::Set(d, 1. / 24.));
  c = hn::MulAdd(c, a2, hn::Set(d, -0.5));
  c = hn::MulAdd(c, a2, hn::Set(d, 1.));
  const auto odd = hn::MaskFromVec(hn::BitCast(d, hn::Sub(hn::Zero(du), hn::And(quarter, hn::Set(du, 1)))));
  const auto sine_sign = hn::ShiftLeft<62>(hn::And(quarter, hn::Set(du, 2)));
  const auto cosine_sign = hn::ShiftLeft<62>(hn::And(hn::Add(quarter, hn::Set(du, 1)), hn::Set(du, 2)));
  sine = hn::Xor(hn::IfThenElse(odd, c, s), hn::BitCast(d, sine_sign));
  cosine = hn::Xor(hn::IfThenElse(odd, s, c), hn::BitCast(d, cosine_sign));
}

// Adds to `count` chosen ones those of `mask`, of the lanes from bunch i on, whose line passes through a
// sphere. Few come here. x, y and slopes are in cells from the map's corner.
template <class D, class V = hn::Vec<D> >
int KeepThosePassing(D d, V x, V y, V slope_x, V slope_y, const FootprintMap& ground,
                     const SphereFilter& filter, unsigned mask, int i, int n, int* HWY_RESTRICT chosen,
                     int count) {
  const auto cell_size = hn::Set(d, 1. / ground.cells_per_cm());
  alignas(64) double lines[4][8];
  hn::Store(hn::MulAdd(x, cell_size, hn::Set(d, ground.x_low())), d, lines[0]);
  hn::Store(hn::MulAdd(y, cell_size, hn::Set(d, ground.y_low())), d, lines[1]);
  hn::Store(hn::Mul(slope_x, cell_size), d, lines[2]);
  hn::Store(hn::Mul(slope_y, cell_size), d, lines[3]);
  for (; mask != 0; mask &= mask - 1) {
    const int lane = __builtin_ctz(mask);
    if (i + lane < n &&
        filter.spheres->passed_by({lines[0][lane], lines[1][lane], lines[2][lane], lines[3][lane]},
                                  filter.uncertainty))
      chosen[count++] = i + lane;
  }
  return count;
}

int Choose(const Step& step, int first, int n, const BunchYields& light, const double* HWY_RESTRICT azimuth,
           const Plane& plane, double refraction_k, const FootprintMap& ground, int* HWY_RESTRICT chosen,
           const SphereFilter& filter) {
  const Lanes d;
  const hn::Rebind<std::int32_t, decltype(d)> d32;
  const hn::Rebind<std::uint32_t, decltype(d)> du32;

  // Everything in the telescopes' frame, in cells from the map's corner.
  const double unit = ground.cells_per_cm();
  const auto along_x = [&](double x, double y) { return unit * (x * plane.cos_turn + y * plane.sin_turn); };
  const auto along_y = [&](double x, double y) { return unit * (y * plane.cos_turn - x * plane.sin_turn); };
  const double xs = step.before.x - plane.x0;
  const double ys = step.before.y - plane.y0;
  const auto x0 = hn::Set(d, along_x(xs, ys) - unit * (plane.x_impact + ground.x_low()));
  const auto y0 = hn::Set(d, along_y(xs, ys) - unit * (plane.y_impact + ground.y_low()));
  const auto z0 = hn::Set(d, step.before.z - plane.height);
  const auto dx = hn::Set(d, along_x(step.between.x, step.between.y));
  const auto dy = hn::Set(d, along_y(step.between.x, step.between.y));
  const auto dz = hn::Set(d, step.between.z);
  const auto xc = hn::Set(d, along_x(step.cu, step.cv));
  const auto xs1 = hn::Set(d, along_x(step.su, step.sv));
  const auto xa = hn::Set(d, along_x(step.u0, step.v0));
  const auto yc = hn::Set(d, along_y(step.cu, step.cv));
  const auto ys1 = hn::Set(d, along_y(step.su, step.sv));
  const auto ya = hn::Set(d, along_y(step.u0, step.v0));
  const auto ws = hn::Set(d, step.sw);
  const auto wa = hn::Set(d, step.w0);
  const auto k = hn::Set(d, refraction_k);
  const auto one = hn::Set(d, 1.);
  const auto zero = hn::Zero(d);
  const auto edge = hn::Set(d, FootprintMap::kCells - 1.);
  const auto* bits = ground.bits();

  int count = 0;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int i = 0; i < n; i += lanes) {
    const auto cos_theta = hn::LoadU(d, light.cos_theta + i);
    const auto sin_theta = hn::Sqrt(hn::Max(zero, hn::LoadU(d, light.sin2_theta + i)));
    hn::Vec<decltype(d)> sine, cosine;
    SineCosine(d, hn::LoadU(d, azimuth + i), sine, cosine);
    sine = hn::Mul(sine, sin_theta);
    cosine = hn::Mul(cosine, sin_theta);
    const auto w = hn::MulAdd(ws, sine, hn::Mul(wa, cos_theta));
    const auto u = hn::MulAdd(xc, cosine, hn::MulAdd(xs1, sine, hn::Mul(xa, cos_theta)));
    const auto v = hn::MulAdd(yc, cosine, hn::MulAdd(ys1, sine, hn::Mul(ya, cos_theta)));
    const auto number = hn::Add(hn::Iota(d, 0.), hn::Set(d, first + i + 1.));
    const auto airmass = hn::Div(one, w);
    const auto height = hn::MulAdd(dz, number, z0);
    const auto reach = hn::Mul(airmass, hn::NegMulAdd(k, hn::Mul(airmass, airmass), height));
    const auto x = hn::MulAdd(u, reach, hn::MulAdd(dx, number, x0));
    const auto y = hn::MulAdd(v, reach, hn::MulAdd(dy, number, y0));
    const auto column = hn::DemoteTo(d32, hn::Min(hn::Max(x, zero), edge));
    const auto row = hn::DemoteTo(d32, hn::Min(hn::Max(y, zero), edge));
    static_assert(FootprintMap::kCells == 512);
    const auto cell = hn::Add(hn::ShiftLeft<9>(row), column);
    const auto word = hn::GatherIndex(du32, bits, hn::ShiftRight<5>(cell));
    const auto bit = hn::And(hn::BitCast(du32, cell), hn::Set(du32, 31));
    const auto reached = hn::TestBit(hn::Shr(word, bit), hn::Set(du32, 1));
    alignas(8) std::uint8_t mask_bytes[8] = {};
    hn::StoreMaskBits(du32, reached, mask_bytes);
    if (mask_bytes[0] == 0) continue;
    if (filter.spheres == nullptr) {
      for (unsigned mask = mask_bytes[0]; mask != 0; mask &= mask - 1)
        if (const int at = i + __builtin_ctz(mask); at < n) chosen[count++] = at;
      continue;
    }
    count = KeepThosePassing(d, x, y, hn::Mul(u, airmass), hn::Mul(v, airmass), ground, filter, mask_bytes[0],
                             i, n, chosen, count);
  }
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace cherenkov
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cherenkov {

HWY_EXPORT(Emit);
HWY_EXPORT(TryEmit);
HWY_EXPORT(TryAddPhotons);
HWY_EXPORT(Choose);

void emit(const Step& step, const double* path, int n, BunchYields& light) {
  HWY_DYNAMIC_DISPATCH(Emit)(step, path, n, light);
}

bool try_emit(const Step& step, int first, int n, BunchYields& light) {
  return HWY_DYNAMIC_DISPATCH(TryEmit)(step, first, n, light);
}

bool try_add_photons(const YieldAlongStep& line, int first, int n, double& sum, double* other_sum) {
  return HWY_DYNAMIC_DISPATCH(TryAddPhotons)(line, first, n, sum, other_sum);
}

int choose(const Step& step, int first, int n, const BunchYields& light, const double* azimuth,
           const Plane& plane, double refraction_k, const FootprintMap& ground, int* chosen,
           const SphereFilter& filter) {
  return HWY_DYNAMIC_DISPATCH(Choose)(step, first, n, light, azimuth, plane, refraction_k, ground, chosen,
                                      filter);
}

}  // namespace cherenkov
#endif
