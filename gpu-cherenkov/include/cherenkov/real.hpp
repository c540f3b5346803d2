/// The operations that formulas are written in, each once: for a double, on host or device, and for SIMD
/// lanes of doubles in a source that Highway compiles once for each instruction set. Each rounds as IEEE
/// says; fma() and nfma() may be fused (on a device, and in lanes where the processor can), so they are for
/// bounds alone.
#if defined(CHERENKOV_REAL_HPP) == \
    defined(HWY_TARGET_TOGGLE)  // as Highway's guards: once for each instruction set
#ifdef CHERENKOV_REAL_HPP
#undef CHERENKOV_REAL_HPP
#else
#define CHERENKOV_REAL_HPP
#endif

#include <cmath>
#include <cstddef>

#include "cherenkov/step.hpp"

// Around formulas. HWY_TARGET_INCLUDE: a source in lanes.
#ifdef HWY_TARGET_INCLUDE
#include <hwy/highway.h>
#define CHERENKOV_FORMULA HWY_INLINE
#define CHERENKOV_BEGIN_FORMULAS                                      \
  namespace cherenkov {                                               \
  namespace HWY_NAMESPACE {                                           \
  HWY_BEFORE_NAMESPACE(); /* last: GCC 14 drops what follows a pragma \
                             of a macro in a header that Highway includes */
#define CHERENKOV_END_FORMULAS \
  }                            \
  }                            \
  HWY_AFTER_NAMESPACE();
#else
#define CHERENKOV_FORMULA CHERENKOV_HOST_DEVICE inline
#define CHERENKOV_BEGIN_FORMULAS \
  namespace cherenkov {          \
  inline namespace plain {
#define CHERENKOV_END_FORMULAS \
  }                            \
  }
#endif

CHERENKOV_BEGIN_FORMULAS

CHERENKOV_FORMULA double select(bool which, double a, double b) { return which ? a : b; }
// ab + c; fused on a device alone, as std::fma() is a call on the host.
CHERENKOV_FORMULA double fma(double a, double b, double c) {
#ifdef __CUDA_ARCH__
  return ::fma(a, b, c);
#else
  return a * b + c;
#endif
}
// c - ab
CHERENKOV_FORMULA double nfma(double a, double b, double c) { return fma(-a, b, c); }

#ifdef HWY_TARGET_INCLUDE
namespace hn = hwy::HWY_NAMESPACE;

template <int kMost>
struct LanesOf;

/// What comparing gives.
template <int kMost>
struct MaskOfLanes {
  hn::Mask<hn::CappedTag<double, kMost> > m;
  HWY_INLINE friend MaskOfLanes operator&(MaskOfLanes a, MaskOfLanes b) { return {hn::And(a.m, b.m)}; }
  HWY_INLINE friend MaskOfLanes operator|(MaskOfLanes a, MaskOfLanes b) { return {hn::Or(a.m, b.m)}; }
  HWY_INLINE friend LanesOf<kMost> select(MaskOfLanes which, LanesOf<kMost> a, LanesOf<kMost> b) {
    return hn::IfThenElse(which.m, a.v, b.v);
  }
  // 0 where it is set; in AVX2 one instruction less than select().
  [[nodiscard]] HWY_INLINE LanesOf<kMost> unless(LanesOf<kMost> a) const {
    return hn::IfThenZeroElse(m, a.v);
  }
  [[nodiscard]] HWY_INLINE bool all() const { return hn::AllTrue(hn::CappedTag<double, kMost>(), m); }
};

/// kMost lanes at most.
template <int kMost>
struct LanesOf {
  using Tag = hn::CappedTag<double, kMost>;
  using Mask = MaskOfLanes<kMost>;
  hn::Vec<Tag> v;

  LanesOf() = default;
  HWY_INLINE LanesOf(hn::Vec<Tag> vector) : v(vector) {}      // NOLINT(google-explicit-constructor)
  HWY_INLINE LanesOf(double all) : v(hn::Set(Tag(), all)) {}  // NOLINT(google-explicit-constructor)
  HWY_INLINE static LanesOf load(const double* from) { return hn::LoadU(Tag(), from); }
  HWY_INLINE static int count() { return static_cast<int>(hn::Lanes(Tag())); }
  // Itself where n is at least the number of lanes; else 0 but for the first n lanes.
  [[nodiscard]] HWY_INLINE LanesOf first(int n) const {
    return n >= count() ? *this
                        : LanesOf(hn::IfThenElseZero(hn::FirstN(Tag(), static_cast<std::size_t>(n)), v));
  }
  HWY_INLINE void store(double* to) const { hn::StoreU(v, Tag(), to); }
  [[nodiscard]] HWY_INLINE double sum() const { return hn::GetLane(hn::SumOfLanes(Tag(), v)); }

  HWY_INLINE friend LanesOf operator-(LanesOf a) { return hn::Neg(a.v); }
  HWY_INLINE friend LanesOf operator+(LanesOf a, LanesOf b) { return hn::Add(a.v, b.v); }
  HWY_INLINE friend LanesOf operator-(LanesOf a, LanesOf b) { return hn::Sub(a.v, b.v); }
  HWY_INLINE friend LanesOf operator*(LanesOf a, LanesOf b) { return hn::Mul(a.v, b.v); }
  HWY_INLINE friend LanesOf operator/(LanesOf a, LanesOf b) { return hn::Div(a.v, b.v); }
  HWY_INLINE friend Mask operator<(LanesOf a, LanesOf b) { return {hn::Lt(a.v, b.v)}; }
  HWY_INLINE friend Mask operator<=(LanesOf a, LanesOf b) { return {hn::Le(a.v, b.v)}; }
  HWY_INLINE friend Mask operator>(LanesOf a, LanesOf b) { return {hn::Gt(a.v, b.v)}; }
  HWY_INLINE friend Mask operator>=(LanesOf a, LanesOf b) { return {hn::Ge(a.v, b.v)}; }
  HWY_INLINE friend Mask operator==(LanesOf a, LanesOf b) { return {hn::Eq(a.v, b.v)}; }
  HWY_INLINE friend LanesOf lower(LanesOf a, LanesOf b) { return hn::Min(a.v, b.v); }
  HWY_INLINE friend LanesOf higher(LanesOf a, LanesOf b) { return hn::Max(a.v, b.v); }
  HWY_INLINE friend LanesOf fma(LanesOf a, LanesOf b, LanesOf c) { return hn::MulAdd(a.v, b.v, c.v); }
  HWY_INLINE friend LanesOf nfma(LanesOf a, LanesOf b, LanesOf c) { return hn::NegMulAdd(a.v, b.v, c.v); }
  HWY_INLINE friend LanesOf fabs(LanesOf a) { return hn::Abs(a.v); }
  HWY_INLINE friend LanesOf sqrt(LanesOf a) { return hn::Sqrt(a.v); }
  HWY_INLINE friend LanesOf trunc(LanesOf a) { return hn::Trunc(a.v); }
};
using Reals = LanesOf<8>;
#endif

/// What comparing two of them gives.
template <class Real>
using MaskOf = decltype(Real() < Real());

CHERENKOV_END_FORMULAS
#endif
