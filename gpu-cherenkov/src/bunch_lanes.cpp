// Compiled once for each instruction set, with -ffp-contract=off: lanes round as CORSIKA does.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/bunch_lanes.cpp"
#include <hwy/foreach_target.h>
// (after foreach_target)
#include <hwy/highway.h>

#include "cherenkov/bunch_lanes.hpp"
#include "cherenkov/bunch_light.hpp"
#include "cherenkov/flat_step.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov {
namespace HWY_NAMESPACE {

void CertainIndices(const double* HWY_RESTRICT height, std::size_t n, double reference, double excess,
                    double per_cm, double error, double* HWY_RESTRICT index) {
  const auto lanes = static_cast<std::size_t>(Reals::count());
  for (std::size_t k = 0; k < n; k += lanes) {
    const auto range = index_at((reference - Reals::load(height + k)) * per_cm, excess, error);
    select(range.is_certain(), range.least, 0.).store(index + k);
  }
}

BetaRange BunchLight(const BunchEnergies& of, const double* HWY_RESTRICT path,
                     const double* HWY_RESTRICT index, std::size_t n, double* HWY_RESTRICT beta_n,
                     double* HWY_RESTRICT cosine, double* HWY_RESTRICT sine2, double* HWY_RESTRICT photons) {
  const Reals mass = of.mass, energy = of.energy, slope = of.slope, per_sin2 = of.photons_per_sin2,
              weight = of.weight;
  const auto lanes = static_cast<std::size_t>(Reals::count());
  Reals least = HUGE_VAL, most = 0.;
  auto lit = least > most;
  for (std::size_t k = 0; k < n; k += lanes) {
    const Reals at = beta_of(mass, energy + slope * Reals::load(path + k)) * Reals::load(index + k);
    const auto angle = light_angle(at);
    at.store(beta_n + k);
    angle.cosine.store(cosine + k);
    angle.sine2.store(sine2 + k);
    angle.photons(per_sin2, weight).store(photons + k);
    least = lower(at, least);
    most = higher(at, most);
    lit = lit & ((angle.cosine <= 1.) & (angle.sine2 > 0.));
  }
  return {hn::GetLane(hn::MinOfLanes(Reals::Tag(), least.v)),
          hn::GetLane(hn::MaxOfLanes(Reals::Tag(), most.v)), lit.all()};
}

// The compiler makes vectors of the next two.
void BunchBetas(double mass, double energy, double slope, const double* HWY_RESTRICT path, std::size_t n,
                double* HWY_RESTRICT beta) {
  for (std::size_t k = 0; k < n; ++k) beta[k] = beta_of(mass, energy + slope * path[k]);
}

void DispersedLight(const DispersedBand& band, const double* HWY_RESTRICT random,
                    const double* HWY_RESTRICT beta, const double* HWY_RESTRICT index, std::size_t n,
                    double* HWY_RESTRICT beta_n, double* HWY_RESTRICT cosine, double* HWY_RESTRICT sine2,
                    double* HWY_RESTRICT photons) {
  const double least = band.least_per_nm, range = band.range_per_nm, per_sin2 = band.photons_per_sin2,
               weight = band.weight;
  for (std::size_t k = 0; k < n; ++k) {
    const IndexRange<double> its = dispersed_range(index[k], 400. * (least + range * random[k]));
    const LightAngle<double> angle = light_angle(beta[k] * its.least);
    beta_n[k] = its.is_certain() ? beta[k] * its.least : 0.;
    cosine[k] = angle.cosine;
    sine2[k] = angle.sine2;
    photons[k] = angle.photons(per_sin2, weight);
  }
}

// exp(-t) to a relative error of 1e-8, for t from -20 to 500.
HWY_INLINE Reals NearExp(Reals t) {
  const hn::RebindToUnsigned<Reals::Tag> bits;
  // 1.5 2^52: adding it rounds to an integer, which then stands in the last bits.
  const Reals shift = 6755399441055744.;
  const Reals scaled = t * -1.4426950408889634;
  const Reals shifted = scaled + shift;
  const Reals x = (scaled - (shifted - shift)) * 0.6931471805599453;
  Reals sum = 1. / 5040.;
  for (const double term : {1. / 720., 1. / 120., 1. / 24., 1. / 6., 0.5, 1., 1.})
    sum = fma(sum, x, Reals(term));
  const auto power = hn::ShiftLeft<52>(hn::Add(hn::BitCast(bits, shifted.v), hn::Set(bits, 1023)));
  return sum * Reals(hn::BitCast(Reals::Tag(), power));
}

void FindPassages(const double* HWY_RESTRICT random, const double* HWY_RESTRICT extinction,
                  const double* HWY_RESTRICT low_w, const double* HWY_RESTRICT high_w, std::size_t n,
                  double* HWY_RESTRICT passage) {
  constexpr double kMargin = 1e-6;
  const auto lanes = static_cast<std::size_t>(Reals::count());
  for (std::size_t k = 0; k < n; k += lanes) {
    const Reals along = Reals::load(extinction + k), number = Reals::load(random + k);
    const Reals one = along / Reals::load(low_w + k), other = along / Reals::load(high_w + k);
    const Reals most = higher(one, other), least = lower(one, other);
    const auto known = (most < 500.) & (least > -20.);
    const Reals low = NearExp(select(known, most, 0.)) * (1. - kMargin);
    const Reals high = NearExp(select(known, least, 0.)) * (1. + kMargin);
    const Reals decided = select(number <= low, kPasses, select(number > high, kAbsorbed, kUndecided));
    select(known, decided, kUndecided).store(passage + k);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cherenkov
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cherenkov {

HWY_EXPORT(CertainIndices);
HWY_EXPORT(BunchLight);
HWY_EXPORT(BunchBetas);
HWY_EXPORT(DispersedLight);
HWY_EXPORT(FindPassages);

void certain_indices(const double* height, std::size_t n, double reference, double excess, double per_cm,
                     double error, double* index) {
  HWY_DYNAMIC_DISPATCH(CertainIndices)(height, n, reference, excess, per_cm, error, index);
}

BetaRange bunch_light(const BunchEnergies& energies, const double* path, const double* index, std::size_t n,
                      double* beta_n, double* cosine, double* sine2, double* photons) {
  return HWY_DYNAMIC_DISPATCH(BunchLight)(energies, path, index, n, beta_n, cosine, sine2, photons);
}

void bunch_betas(double mass, double energy, double slope, const double* path, std::size_t n, double* beta) {
  HWY_DYNAMIC_DISPATCH(BunchBetas)(mass, energy, slope, path, n, beta);
}

void dispersed_light(const DispersedBand& band, const double* random, const double* beta, const double* index,
                     std::size_t n, double* beta_n, double* cosine, double* sine2, double* photons) {
  HWY_DYNAMIC_DISPATCH(DispersedLight)(band, random, beta, index, n, beta_n, cosine, sine2, photons);
}

void passages(const double* random, const double* extinction, const double* low_w, const double* high_w,
              std::size_t n, double* passage) {
  HWY_DYNAMIC_DISPATCH(FindPassages)(random, extinction, low_w, high_w, n, passage);
}

}  // namespace cherenkov
#endif
