// What bunches carry, and the choice among them: one source for every instruction set, by Highway.
// Compiled with -ffp-contract=off: what emit computes must be the same bits everywhere.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/bunches.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
// (after foreach_target)
#include <hwy/highway.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "cherenkov/bunch_light.hpp"
#include "cherenkov/bunches.hpp"
#include "cherenkov/flat_step.hpp"
#include "cherenkov/rounded_sum.hpp"
#include "cherenkov/running_sum.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov {
namespace HWY_NAMESPACE {

// Vectors are of up to 8 bunches, so that masks of the chosen fit one byte.
using Lanes = Reals::Tag;

// Numbers from `first` on, one a lane.
HWY_INLINE Reals Count(double first) { return hn::Add(hn::Iota(Lanes(), 0.), hn::Set(Lanes(), first)); }

// The paths of a step's bunches as running sums, one vector after the other.
struct RunningPath {
  double path, between;
  HWY_INLINE Reals next() {
    alignas(64) double paths[8];
    for (int lane = 0; lane < Reals::count(); ++lane) paths[lane] = path += between;
    return Reals::load(paths);
  }
};

void SetYields(const Step& step, int n, const BunchYields& light) {
  RunningPath running{step.before.path, step.between.path};
  const Reals beta_n = step.beta_n, slope = step.beta_n_slope, yield = step.photons_per_sin2,
              weight = step.weight;
  for (int i = 0; i < n; i += Reals::count()) {
    const LightAngle<Reals> angle = light_angle(beta_n + slope * running.next());
    angle.cosine.store(light.cos_theta + i);
    angle.sine2.store(light.sin2_theta + i);
    angle.photons(yield, weight).store(light.photons + i);
  }
}

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

constexpr int kMostAdded = 64;  // whose paths are added up at once

// As SetYields and running_sum together, without anything that is kept.
// kExact: paths are running sums. Else they are products, and beta n may be off by its last bit, 2^-52, where
// what rounding took from it, `residue`, is 2^-53 but for the path's uncertainty. It often is: the product of
// the middle bunch of an odd number is half the difference of two numbers near 1, that is half-way between
// two in every second step; and so at quarters. The cosine is then off by 2^-52 + 2^-53 (two roundings of
// 2^-54 among it), its sine squared by twice that and two roundings (2^-53 where the sine squared is below
// 1/4), the photons, twice more rounded, by less than 2^-50 times the weighted yield. That shows in a sum
// only where a term is as close to half-way between two multiples of the sum's ulp. other_sum: null where
// there is one sum, and not kTwo.
template <bool kTwo, bool kExact>
HWY_INLINE bool AddPhotons(const YieldAlongStep& line, int n, double& sum, double* other_sum) {
  const double power = power_of_sum(sum), other_power = kTwo ? power_of_sum(*other_sum) : 1.;
  if (!(power > 0. && other_power > 0.)) return false;
  const PathUncertainty uncertainty(line, n);
  if (!kExact && !uncertainty.narrow) return false;
  RunningPath running{line.path_before, line.path_between};
  const Reals beta_n = line.beta_n;
  const double certain = 0x1p-53 - uncertainty.product;
  const double uncertain_photons = std::fabs(line.photons_per_sin2 * line.weight) * 0x1p-50;
  RoundedSum<Reals> rounded{power}, other_rounded{other_power};
  Reals number = Count(1.), least = 0.;
  const auto add = [&](auto mask_tail) {
    const Reals path =
        kExact ? running.next() : fma(Reals(line.path_between), number, Reals(line.path_before));
    const Reals product = line.beta_n_slope * path;
    const Reals at = beta_n + product;
    const Reals photons = mask_tail(light_angle(at).photons(line.photons_per_sin2, line.weight));
    if constexpr (kExact) {
      least = lower(least, photons);
      rounded.add(photons);
      if constexpr (kTwo) other_rounded.add(photons);
    } else {
      number = number + Reals::count();
      const Reals residue = fabs(product - (at - beta_n));  // exact: beta n is the larger
      const Reals off = mask_tail((residue < certain).unless(uncertain_photons));
      rounded.add(photons, off);
      if constexpr (kTwo) other_rounded.add(photons, off);
    }
  };
  int i = 0;
  for (; i + Reals::count() <= n; i += Reals::count()) add([](Reals photons) { return photons; });
  if (i < n) add([&](Reals photons) { return photons.first(n - i); });
  const double all = sum + rounded.sum.sum();
  const double others = kTwo ? *other_sum + other_rounded.sum.sum() : 1.;
  const bool good = (rounded.is_certain() & other_rounded.is_certain()).all() &&
                    (!kExact || (least >= 0.).all());  // below threshold, light would be negative
  if (!(good && all < 2. * power && others < 2. * other_power)) return false;
  sum = all;
  if constexpr (kTwo) *other_sum = others;
  return true;
}

// Products are faster, but of a quarter of the steps they do not tell.
template <bool kTwo>
HWY_INLINE bool AddToSums(const YieldAlongStep& line, int n, double& sum, double* other_sum) {
  return (n > kMostAdded && AddPhotons<kTwo, false>(line, n, sum, other_sum)) ||
         AddPhotons<kTwo, true>(line, n, sum, other_sum);
}

bool TryAddPhotons(const YieldAlongStep& line, int n, double& sum, double* other_sum) {
  return other_sum == nullptr ? AddToSums<false>(line, n, sum, nullptr)
                              : AddToSums<true>(line, n, sum, other_sum);
}

// Sine and cosine of an angle in turns, 0 to 1: Taylor series around the nearest quarter, good to 2e-9.
HWY_INLINE void SineCosine(Reals turns, Reals& sine, Reals& cosine) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> du;
  const Reals shift = 6755399441055744.;  // 1.5 * 2^52: the last bits of a sum are whole numbers
  const Reals quarters = turns * 4.;
  const Reals shifted = quarters + shift;
  const auto quarter = hn::BitCast(du, shifted.v);
  const Reals a = (quarters - (shifted - shift)) * 1.5707963267948966;
  const Reals a2 = a * a;
  Reals s = 1. / 362880.;
  for (const double term : {-1. / 5040., 1. / 120., -1. / 6.}) s = fma(s, a2, Reals(term));
  s = fma(s * a2, a, a);
  Reals c = -1. / 3628800.;
  for (const double term : {1. / 40320., -1. / 720., 1. / 24., -0.5, 1.}) c = fma(c, a2, Reals(term));
  const auto odd = hn::MaskFromVec(hn::BitCast(d, hn::Sub(hn::Zero(du), hn::And(quarter, hn::Set(du, 1)))));
  const auto sine_sign = hn::ShiftLeft<62>(hn::And(quarter, hn::Set(du, 2)));
  const auto cosine_sign = hn::ShiftLeft<62>(hn::And(hn::Add(quarter, hn::Set(du, 1)), hn::Set(du, 2)));
  sine = hn::Xor(hn::IfThenElse(odd, c.v, s.v), hn::BitCast(d, sine_sign));
  cosine = hn::Xor(hn::IfThenElse(odd, s.v, c.v), hn::BitCast(d, cosine_sign));
}

// Of bunches that arrive within `error` of (x, y): those that may hit a detector, or be counted or not. Sets
// the photons to 0 of those that are surely not counted.
HWY_INLINE Reals::Mask Open(const DetectorGrid& grid, Reals x, Reals y, double error, double* photons) {
  const auto may_count = is_counted(grid, x, y, error), surely = is_counted(grid, x, y, -error);
  select(may_count, Reals::load(photons), 0.).store(photons);
  if (hn::AllFalse(Lanes(), may_count.m)) return may_count;
  return {hn::And(may_count.m, hn::Or(is_hit(grid, x, y, error).m, hn::Not(surely.m)))};
}

int Choose(const Step& step, int first, int n, const BunchYields& light, const double* HWY_RESTRICT azimuth,
           const Plane& plane, double refraction_k, const FootprintMap& ground, int* HWY_RESTRICT chosen,
           const SphereFilter& filter) {
  const hn::Rebind<std::int32_t, Lanes> d32;
  const hn::Rebind<std::uint32_t, Lanes> du32;

  // Everything in the telescopes' frame, in cells from the map's corner.
  const double unit = ground.cells_per_cm();
  const auto along_x = [&](double x, double y) { return unit * (x * plane.cos_turn + y * plane.sin_turn); };
  const auto along_y = [&](double x, double y) { return unit * (y * plane.cos_turn - x * plane.sin_turn); };
  const double xs = step.before.x - plane.x0;
  const double ys = step.before.y - plane.y0;
  const Reals x0 = along_x(xs, ys) - unit * (plane.x_impact + ground.x_low());
  const Reals y0 = along_y(xs, ys) - unit * (plane.y_impact + ground.y_low());
  const Reals z0 = step.before.z - plane.height;
  const Reals dx = along_x(step.between.x, step.between.y), dy = along_y(step.between.x, step.between.y);
  const Reals dz = step.between.z;
  const Reals xc = along_x(step.cu, step.cv), yc = along_y(step.cu, step.cv);
  const Reals xs1 = along_x(step.su, step.sv), ys1 = along_y(step.su, step.sv);
  const Reals xa = along_x(step.u0, step.v0), ya = along_y(step.u0, step.v0);
  const Reals ws = step.sw, wa = step.w0, k = refraction_k;
  const Reals edge = FootprintMap::kCells - 1., cell_size = 1. / unit;
  const auto* bits = ground.bits();

  int count = 0;
  for (int i = 0; i < n; i += Reals::count()) {
    const Reals cos_theta = Reals::load(light.cos_theta + i);
    const Reals sin_theta = sqrt(higher(0., Reals::load(light.sin2_theta + i)));
    Reals sine, cosine;
    SineCosine(Reals::load(azimuth + i), sine, cosine);
    sine = sine * sin_theta;
    cosine = cosine * sin_theta;
    const Reals w = fma(ws, sine, wa * cos_theta);
    const Reals u = fma(xc, cosine, fma(xs1, sine, xa * cos_theta));
    const Reals v = fma(yc, cosine, fma(ys1, sine, ya * cos_theta));
    const Reals number = Count(first + i + 1.);
    const Reals airmass = 1. / w;
    const Reals reach = airmass * nfma(k, airmass * airmass, fma(dz, number, z0));
    const Reals x = fma(u, reach, fma(dx, number, x0));
    const Reals y = fma(v, reach, fma(dy, number, y0));
    alignas(8) std::uint8_t mask_bytes[8] = {};
    if (filter.grid != nullptr) {
      const auto open = Open(*filter.grid, x, y, filter.uncertainty.position, light.photons + i);
      hn::StoreMaskBits(Lanes(), open.m, mask_bytes);
    } else {
      const auto column = hn::DemoteTo(d32, lower(higher(x, 0.), edge).v);
      const auto row = hn::DemoteTo(d32, lower(higher(y, 0.), edge).v);
      static_assert(FootprintMap::kCells == 512);
      const auto cell = hn::Add(hn::ShiftLeft<9>(row), column);
      const auto word = hn::GatherIndex(du32, bits, hn::ShiftRight<5>(cell));
      const auto bit = hn::And(hn::BitCast(du32, cell), hn::Set(du32, 31));
      hn::StoreMaskBits(du32, hn::TestBit(hn::Shr(word, bit), hn::Set(du32, 1)), mask_bytes);
    }
    unsigned mask = mask_bytes[0];
    if (mask == 0) continue;
    // Few come here.
    alignas(64) double lines[4][8];
    fma(x, cell_size, Reals(ground.x_low())).store(lines[0]);
    fma(y, cell_size, Reals(ground.y_low())).store(lines[1]);
    (u * airmass * cell_size).store(lines[2]);
    (v * airmass * cell_size).store(lines[3]);
    for (; mask != 0; mask &= mask - 1) {
      const int lane = __builtin_ctz(mask);
      if (i + lane < n &&
          (filter.spheres == nullptr ||
           filter.spheres->passed_by({lines[0][lane], lines[1][lane], lines[2][lane], lines[3][lane]},
                                     filter.uncertainty)))
        chosen[count++] = i + lane;
    }
  }
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace cherenkov
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cherenkov {

HWY_EXPORT(SetYields);
HWY_EXPORT(TryAddPhotons);
HWY_EXPORT(Choose);

void set_yields(const Step& step, int n, const BunchYields& light) {
  HWY_DYNAMIC_DISPATCH(SetYields)(step, n, light);
}

bool try_add_photons(const YieldAlongStep& line, int n, double& sum, double* other_sum) {
  return HWY_DYNAMIC_DISPATCH(TryAddPhotons)(line, n, sum, other_sum);
}

int choose(const Step& step, int first, int n, const BunchYields& light, const double* azimuth,
           const Plane& plane, double refraction_k, const FootprintMap& ground, int* chosen,
           const SphereFilter& filter) {
  return HWY_DYNAMIC_DISPATCH(Choose)(step, first, n, light, azimuth, plane, refraction_k, ground, chosen,
                                      filter);
}

}  // namespace cherenkov
#endif
