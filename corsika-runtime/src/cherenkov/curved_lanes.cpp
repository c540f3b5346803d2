// The loops of curved_lanes.hpp in vectors. None but the series is fused: lanes round as CORSIKA
// does. Compiled with -ffp-contract=off.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cherenkov/curved_lanes.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
// (after foreach_target)
#include <hwy/highway.h>

#include <cmath>
#include <cstddef>
#include <initializer_list>

#include "curved_lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov::corsika {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::CappedTag<double, kCurvedLanes>;

void CertainIndices(const double* HWY_RESTRICT height, std::size_t n, double reference, double excess,
                    double per_cm, double error, double* HWY_RESTRICT index) {
  const Doubles d;
  const auto one = hn::Set(d, 1.);
  for (std::size_t k = 0; k < n; k += hn::Lanes(d)) {
    const auto t = hn::Mul(hn::Sub(hn::Set(d, reference), hn::LoadU(d, height + k)), hn::Set(d, per_cm));
    // exp(t): Taylor's series to t^10. The next term is below 3e-18.
    auto sum = hn::Set(d, 1. / 3628800.);
    for (const double factor :
         {1. / 362880., 1. / 40320., 1. / 5040., 1. / 720., 1. / 120., 1. / 24., 1. / 6., 0.5, 1., 1.})
      sum = hn::MulAdd(sum, t, hn::Set(d, factor));
    const auto here = hn::Mul(hn::Set(d, excess), sum);
    const auto margin = hn::Mul(here, hn::Set(d, error));
    const auto least = hn::Add(one, hn::Sub(here, margin));
    const auto most = hn::Add(one, hn::Add(here, margin));
    hn::StoreU(hn::IfThenElseZero(hn::Eq(least, most), least), d, index + k);
  }
}

BetaRange BunchLight(const BunchEnergies& of, const double* HWY_RESTRICT path,
                     const double* HWY_RESTRICT index, std::size_t n, double* HWY_RESTRICT beta_n,
                     double* HWY_RESTRICT cosine, double* HWY_RESTRICT sine2, double* HWY_RESTRICT photons) {
  const Doubles d;
  const auto one = hn::Set(d, 1.);
  auto least = hn::Set(d, HUGE_VAL), most = hn::Zero(d);
  auto lit = hn::Eq(one, one);
  for (std::size_t k = 0; k < n; k += hn::Lanes(d)) {
    const auto energy = hn::Add(hn::Set(d, of.energy), hn::Mul(hn::Set(d, of.slope), hn::LoadU(d, path + k)));
    const auto ratio = hn::Div(hn::Set(d, of.mass), energy);
    const auto beta = hn::Sqrt(hn::Mul(hn::Sub(one, ratio), hn::Add(one, ratio)));
    const auto at = hn::Mul(beta, hn::LoadU(d, index + k));
    const auto cos_theta = hn::Div(one, at);
    const auto sin2_theta = hn::Mul(hn::Sub(one, cos_theta), hn::Add(one, cos_theta));
    hn::StoreU(at, d, beta_n + k);
    hn::StoreU(cos_theta, d, cosine + k);
    hn::StoreU(sin2_theta, d, sine2 + k);
    hn::StoreU(hn::Mul(hn::Set(d, of.photons_per_sin2), sin2_theta), d, photons + k);
    least = hn::IfThenElse(hn::Lt(at, least), at, least);
    most = hn::IfThenElse(hn::Gt(at, most), at, most);
    lit = hn::And(lit, hn::And(hn::Le(cos_theta, one), hn::Gt(sin2_theta, hn::Zero(d))));
  }
  return {hn::GetLane(hn::MinOfLanes(d, least)), hn::GetLane(hn::MaxOfLanes(d, most)), hn::AllTrue(d, lit)};
}

// The compiler makes vectors of the next two.
void Chords(const RecordedSteps& s, double earth_radius, ElectronEnds& ends) {
  for (int i = 0; i < kChunkSteps; ++i) {
    const double length = s.x_end[i], height = earth_radius + s.z_end[i];
    const double across2 = length * length * (s.u[i] * s.u[i] + s.v[i] * s.v[i]);
    ends.radius[i] = std::sqrt(across2 + height * height);
    ends.sine[i] = std::sqrt(across2) / ends.radius[i];
    ends.angle[i] = std::sqrt(s.x_begin[i] * s.x_begin[i] + s.y_begin[i] * s.y_begin[i]) / earth_radius;
  }
}

void EndsOfChords(const RecordedSteps& s, double earth_radius, ElectronEnds& ends) {
  for (int i = 0; i < kChunkSteps; ++i) {
    const double length = s.x_end[i];
    const bool turns = ends.sine[i] > 0.;
    const double above = turns ? earth_radius * ends.arc[i] : 1.;
    const double ratio = above / (turns ? ends.radius[i] * ends.sine[i] : 1.);
    ends.x[i] = s.x_begin[i] + s.u[i] * length * ratio;
    ends.y[i] = s.y_begin[i] + s.v[i] * length * ratio;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cherenkov::corsika
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cherenkov::corsika {

HWY_EXPORT(CertainIndices);
HWY_EXPORT(BunchLight);
HWY_EXPORT(Chords);
HWY_EXPORT(EndsOfChords);

void chords_of(const RecordedSteps& steps, double earth_radius, ElectronEnds& ends) {
  HWY_DYNAMIC_DISPATCH(Chords)(steps, earth_radius, ends);
}

void ends_of_chords(const RecordedSteps& steps, double earth_radius, ElectronEnds& ends) {
  HWY_DYNAMIC_DISPATCH(EndsOfChords)(steps, earth_radius, ends);
}

void certain_indices(const double* height, std::size_t n, double reference, double excess, double per_cm,
                     double error, double* index) {
  HWY_DYNAMIC_DISPATCH(CertainIndices)(height, n, reference, excess, per_cm, error, index);
}

BetaRange bunch_light(const BunchEnergies& energies, const double* path, const double* index, std::size_t n,
                      double* beta_n, double* cosine, double* sine2, double* photons) {
  return HWY_DYNAMIC_DISPATCH(BunchLight)(energies, path, index, n, beta_n, cosine, sine2, photons);
}

}  // namespace cherenkov::corsika
#endif  // HWY_ONCE
