// The generator in SIMD lanes. 32 consecutive numbers depend only on numbers 33 and more back, so they are
// independent of each other; putting the recurrence into itself, x_n = x_(n-66) + x_(n-97) - x_(n-130), moves
// the nearest number needed from 33 to 66 back, which keeps loads away from stores that are still on their
// way to the cache.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/simd.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
// (after foreach_target)
#include <hwy/highway.h>

#include <cstring>

#include "ranmar/fill.hpp"
#include "ranmar_testing/simd_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace ranmar {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kRow = 32;       // numbers made together
constexpr std::size_t kHistory = 130;  // words kept before the row
// Rows between two moves of the history; the words stay in the L1 cache.
constexpr std::size_t kBlockRows = 32;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_HAVE_SCALABLE
// No fixed vectors: the same block loop, left to the compiler.
template <class Form>
void FillRows(typename Form::Word* HWY_RESTRICT x, std::uint32_t& c, typename Form::Real* HWY_RESTRICT out,
              std::size_t rows) {
  for (std::size_t i = 0; i < rows * kRow; ++i) {
    x[i] = static_cast<typename Form::Word>(x[static_cast<std::ptrdiff_t>(i) - kLongLag] -
                                            x[static_cast<std::ptrdiff_t>(i) - kShortLag]);
    c = next_arithmetic<Form>(c);
    out[i] = number<Form>(x[i], c);
  }
}
#else

// c of the 32 numbers of a row before the first, mod M: subtract what k steps subtract, and take the smaller
// of that and that plus M, which is the right one because a negative value is a huge unsigned one.
using RowArithmetic = std::array<std::uint32_t, kRow>;

// The numbers of two neighbouring vectors of so many lanes alternate; with 1, all are in their order.
constexpr RowArithmetic RowSteps(std::size_t lanes) {
  RowArithmetic row{};
  for (std::size_t k = 0; k < kRow; ++k) {
    const std::size_t pair = k / (2 * lanes);
    const std::size_t within = k % (2 * lanes);
    row[pair * 2 * lanes + 2 * (within % lanes) + within / lanes] =
        static_cast<std::uint32_t>((std::uint64_t{k} + 1) * Arithmetic24::kStep % Arithmetic24::kModulus);
  }
  return row;
}

constexpr std::uint32_t kRowStep =
    static_cast<std::uint32_t>(std::uint64_t{kRow} * Arithmetic24::kStep % Arithmetic24::kModulus);

// c after a whole row, for the caller's scalar copy.
inline std::uint32_t AfterRows(std::uint32_t c, std::size_t rows) {
  const std::uint64_t moved = rows % Arithmetic24::kModulus * kRowStep % Arithmetic24::kModulus;
  return static_cast<std::uint32_t>((c + Arithmetic24::kModulus - moved) % Arithmetic24::kModulus);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V WrapDown(D d, V c, V step) {
  const V down = hn::Sub(c, step);
  return hn::Min(down, hn::Add(down, hn::Set(d, Arithmetic24::kModulus)));
}

template <class D>
HWY_INLINE hn::Vec<D> NextWords(D d, const hn::TFromD<D>* HWY_RESTRICT x) {
  return hn::Add(hn::Sub(hn::LoadU(d, x - 97), hn::LoadU(d, x - 130)), hn::LoadU(d, x - 66));
}

template <class Form>
void FillRows(std::uint64_t* HWY_RESTRICT x, std::uint32_t& c0, double* HWY_RESTRICT out, std::size_t rows) {
  const hn::ScalableTag<std::uint64_t> d;
  const hn::ScalableTag<std::uint32_t> d32;
  const hn::ScalableTag<double> dr;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<std::uint64_t>());
  constexpr std::size_t kPairs = kRow / (2 * kLanes);
  alignas(64) static constexpr RowArithmetic kFirst = RowSteps(kLanes);
  const auto one_bits = hn::Set(d, 0x3FF0000000000000ULL);
  const auto one = hn::Set(dr, 1.);
  const auto unit = hn::Set(dr, Form48::kUnit);
  const auto top24 = hn::Set(d, 0xFFFFFF0000000000ULL);
  const auto row_step = hn::Set(d32, kRowStep);

  // 48 bits into the mantissa of a number in [1,2), then minus 1: exact. A zero rises to one unit by the
  // maximum.
  const auto to_real = [&](auto word) HWY_ATTR {
    return hn::Max(hn::Sub(hn::BitCast(dr, hn::Or(hn::ShiftRight<12>(word), one_bits)), one), unit);
  };

  hn::Vec<decltype(d32)> c[kPairs];
  for (std::size_t p = 0; p < kPairs; ++p)
    c[p] = WrapDown(d32, hn::Set(d32, c0), hn::Load(d32, kFirst.data() + p * 2 * kLanes));
  for (std::size_t row = 0; row < rows; ++row, x += kRow, out += kRow) {
    for (std::size_t p = 0; p < kPairs; ++p) {
      std::uint64_t* HWY_RESTRICT first = x + 2 * p * kLanes;
      const auto xa = NextWords(d, first);
      const auto xb = NextWords(d, first + kLanes);
      hn::StoreU(xa, d, first);
      hn::StoreU(xb, d, first + kLanes);
      // Each 64-bit lane of c holds the values of two numbers: the low half of xa's, the high half of xb's.
      const auto both = hn::BitCast(d, c[p]);
      c[p] = WrapDown(d32, c[p], row_step);
      hn::StoreU(to_real(hn::Sub(xa, hn::ShiftLeft<40>(both))), dr, out + 2 * p * kLanes);
      hn::StoreU(to_real(hn::Sub(xb, hn::And(hn::ShiftLeft<8>(both), top24))), dr,
                 out + (2 * p + 1) * kLanes);
    }
  }
  c0 = AfterRows(c0, rows);
}

template <class Form>
void FillRows(std::uint32_t* HWY_RESTRICT x, std::uint32_t& c0, float* HWY_RESTRICT out, std::size_t rows) {
  const hn::ScalableTag<std::uint32_t> d;
  const hn::ScalableTag<std::int32_t> di;
  const hn::ScalableTag<float> dr;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<std::uint32_t>());
  constexpr std::size_t kVectors = kRow / kLanes;
  alignas(64) static constexpr RowArithmetic kFirst = RowSteps(1);
  const auto unit = hn::Set(dr, Form24::kUnit);
  const auto row_step = hn::Set(d, kRowStep);

  hn::Vec<decltype(d)> c[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v)
    c[v] = WrapDown(d, hn::Set(d, c0), hn::Load(d, kFirst.data() + v * kLanes));
  for (std::size_t row = 0; row < rows; ++row, x += kRow, out += kRow) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto words = NextWords(d, x + v * kLanes);
      hn::StoreU(words, d, x + v * kLanes);
      const auto bits = hn::ShiftRight<8>(hn::Sub(words, hn::ShiftLeft<8>(c[v])));
      c[v] = WrapDown(d, c[v], row_step);
      const auto real = hn::Mul(hn::ConvertTo(dr, hn::BitCast(di, bits)), unit);
      hn::StoreU(hn::Max(real, unit), dr, out + v * kLanes);
    }
  }
  c0 = AfterRows(c0, rows);
}
#endif

// Numbers in whole rows of 32; what is left over is drawn one at a time by the caller.
template <class Form>
void FillWholeRows(State<Form>& state, typename Form::Real* out, std::size_t rows) {
  using Word = typename Form::Word;
  HWY_ALIGN Word words[kHistory + kBlockRows * kRow];
  Word* const x = words + kHistory;
  std::memcpy(x - kLongLag, state.x.data(), sizeof(state.x));
  for (int i = kLongLag + 1; i <= static_cast<int>(kHistory); ++i) {  // the recurrence backwards
    x[-i] = static_cast<Word>(x[kLongLag - i] + x[kLongLag - kShortLag - i]);
  }
  for (std::size_t done = 0; done < rows;) {
    const std::size_t now = rows - done < kBlockRows ? rows - done : kBlockRows;
    FillRows<Form>(x, state.c, out + done * kRow, now);
    std::memmove(words, words + now * kRow, kHistory * sizeof(Word));
    done += now;
  }
  std::memcpy(state.x.data(), x - kLongLag, sizeof(state.x));
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3  // better targets have lower numbers
// With 32 registers of 8 words the whole history stays in registers. A row turned by one place (its first
// word the last of the row before) is what both lags ask for: x of row r is turned row r-3 (97 back) minus
// turned row r-1 (33 back). The three turned rows and the newest word are the state itself, in order.
constexpr std::size_t kRowVectors = 4;

struct TurnedRow {
  __m512i v[kRowVectors];
};

class RegisterRows {
 public:
  HWY_INLINE RegisterRows(const State<Form48>& state)
      : newest_(_mm512_loadu_si512(state.x.data() + kLongLag - 8)),
        c_{WrapDown(kD32, hn::Set(kD32, state.c), hn::Load(kD32, kFirst.data())),
           WrapDown(kD32, hn::Set(kD32, state.c), hn::Load(kD32, kFirst.data() + 16))} {}

  static HWY_INLINE TurnedRow Load(const std::uint64_t* HWY_RESTRICT words) {
    return {{_mm512_loadu_si512(words), _mm512_loadu_si512(words + 8), _mm512_loadu_si512(words + 16),
             _mm512_loadu_si512(words + 24)}};
  }

  // Makes a row, writes its numbers to out[0..32), and leaves it turned in `oldest`.
  HWY_INLINE void Make(TurnedRow& oldest, const TurnedRow& last, double* HWY_RESTRICT out) {
    for (std::size_t p = 0; p < kRowVectors / 2; ++p) {
      const __m512i even = _mm512_shuffle_epi8(c_[p].raw, kLowToTop24);
      const __m512i odd = _mm512_shuffle_epi8(c_[p].raw, kHighToTop24);
      c_[p] = WrapDown(kD32, c_[p], hn::Set(kD32, kRowStep));
      Vector(oldest.v[2 * p], last.v[2 * p], even, out + 16 * p);
      Vector(oldest.v[2 * p + 1], last.v[2 * p + 1], odd, out + 16 * p + 8);
    }
  }

  [[nodiscard]] HWY_INLINE std::uint64_t NewestWord() const {
    alignas(64) std::uint64_t words[8];
    _mm512_store_si512(words, newest_);
    return words[7];
  }

 private:
  alignas(64) static constexpr RowArithmetic kFirst = RowSteps(8);
  static constexpr hn::ScalableTag<std::uint32_t> kD32{};

  // The top 48 bits as the fraction of a number in [1,2).
  static HWY_INLINE __m512i InMantissa(__m512i bits) {
#if HWY_TARGET < HWY_AVX3  // with VBMI2: a shift that brings in the exponent from a second word
    return _mm512_shrdi_epi64(bits, _mm512_set1_epi64(0x3FF), 12);
#else
    return _mm512_or_si512(_mm512_srli_epi64(bits, 12), _mm512_set1_epi64(0x3FF0000000000000LL));
#endif
  }

  HWY_INLINE void Vector(__m512i& turned, __m512i last, __m512i c, double* HWY_RESTRICT out) {
    const __m512i words = _mm512_sub_epi64(turned, last);
    turned = _mm512_alignr_epi64(words, newest_, 7);
    newest_ = words;
    const __m512i bits = InMantissa(_mm512_sub_epi64(words, c));
    _mm512_storeu_pd(out, _mm512_max_pd(_mm512_sub_pd(_mm512_castsi512_pd(bits), _mm512_set1_pd(1.)),
                                        _mm512_set1_pd(Form48::kUnit)));
  }

  // The low, or high, 32 bits' value of each 64-bit lane into the lane's top 24 bits, zeros below.
  const __m512i kLowToTop24 = _mm512_set4_epi32(0x0A0908FF, -1, 0x020100FF, -1);
  const __m512i kHighToTop24 = _mm512_set4_epi32(0x0E0D0CFF, -1, 0x060504FF, -1);
  __m512i newest_;
  hn::Vec<hn::ScalableTag<std::uint32_t>> c_[kRowVectors / 2];
};

template <>
void FillWholeRows<Form48>(State<Form48>& state, double* out, std::size_t rows) {
  RegisterRows generator(state);
  TurnedRow a = RegisterRows::Load(state.x.data());
  TurnedRow b = RegisterRows::Load(state.x.data() + 32);
  TurnedRow c = RegisterRows::Load(state.x.data() + 64);
  std::size_t row = 0;
  for (; row + 3 <= rows; row += 3, out += 3 * kRow) {
    generator.Make(a, c, out);
    generator.Make(b, a, out + kRow);
    generator.Make(c, b, out + 2 * kRow);
  }
  for (; row < rows; ++row, out += kRow) {
    generator.Make(a, c, out);
    const TurnedRow made = a;
    a = b;
    b = c;
    c = made;
  }
  std::uint64_t* words = state.x.data();
  for (const TurnedRow* turned : {&a, &b, &c}) {
    for (const __m512i& vector : turned->v) {
      _mm512_storeu_si512(words, vector);
      words += 8;
    }
  }
  *words = generator.NewestWord();
  state.c = AfterRows(state.c, rows);
}
#endif

template <class Form>
void Fill(State<Form>& state, typename Form::Real* out, std::size_t n) {
  const std::size_t rows = n / kRow;
  if (rows > 0) FillWholeRows<Form>(state, out, rows);
  fill_reference(state, out + rows * kRow, n - rows * kRow);
}

void Fill48(State<Form48>& state, double* out, std::size_t n) { Fill<Form48>(state, out, n); }
void Fill24(State<Form24>& state, float* out, std::size_t n) { Fill<Form24>(state, out, n); }

}  // namespace HWY_NAMESPACE
}  // namespace ranmar
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ranmar {

HWY_EXPORT(Fill48);
HWY_EXPORT(Fill24);

template <>
RANMAR_API void fill_simd<Form48>(State<Form48>& state, double* out, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(Fill48)(state, out, n);
}

template <>
RANMAR_API void fill_simd<Form24>(State<Form24>& state, float* out, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(Fill24)(state, out, n);
}

// No vector code of its own yet: blocks of a plain loop, which the compiler may vectorise.
template <>
RANMAR_API void fill_simd<FormExtended48>(State<FormExtended48>& state, double* out, std::size_t n) {
  fill_reference(state, out, n);
}

std::vector<SimdTarget> simd_targets() {
  use_simd_target(0);
  std::vector<SimdTarget> targets;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
    targets.push_back({hwy::TargetName(target), target});
  return targets;
}

void use_simd_target(std::int64_t bit) {
  hwy::SetSupportedTargetsForTest(bit);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::string simd_target_in_use() {
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(usable & -usable);
}

}  // namespace ranmar
#endif  // HWY_ONCE
