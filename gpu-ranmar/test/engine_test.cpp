// Engines, backends, jumps and states. The known answers of validation have numbers of all of them;
// test/cuda/device_test.cu has engines on a device.
#include "ranmar/engine.hpp"

#include <cfenv>
#include <cmath>
#include <random>

#include "numbers.hpp"
#include "ranmar_testing/simd_target.hpp"

namespace {

template <class Form>
class EngineOf : public testing::Test {};
using Forms = testing::Types<ranmar::Form48, ranmar::Form24, ranmar::FormExtended48>;
TYPED_TEST_SUITE(EngineOf, Forms);

template <class Form>
ranmar::State<Form> saved(const ranmar::Engine<Form>& engine) {
  ranmar::State<Form> state;
  engine.save(state);
  return state;
}

// 2^32 subsequences are 2^92 numbers, beyond what jump() takes: by the square of squares, and c by 128 bits.
TYPED_TEST(EngineOf, FarSubsequences) {
  auto polynomial = ranmar::jump_polynomial(std::int64_t{1} << 60);
  for (int i = 0; i < 32; ++i) polynomial = ranmar::doubled(polynomial);
  auto state = ranmar::seeded_state<TypeParam>(99);
  const std::uint64_t start = state.c;
  ranmar::apply_jump(state, polynomial, 0);
  __extension__ using Wide = unsigned __int128;
  constexpr std::uint64_t kModulus = TypeParam::kModulus;
  const auto steps = static_cast<std::uint64_t>((Wide{1} << 92) % kModulus);
  const auto down = static_cast<std::uint64_t>(Wide{steps} * TypeParam::kStep % kModulus);
  state.c = static_cast<typename TypeParam::Arithmetic>((start + kModulus - down) % kModulus);
  EXPECT_EQ(saved(ranmar::Engine<TypeParam>(99, std::uint64_t{1} << 32)), state);
}

// The last offset of a subsequence, one more, and the carry into the high word.
TYPED_TEST(EngineOf, OffsetsRunIntoTheNextSubsequence) {
  constexpr std::uint64_t kDistance = std::uint64_t{1} << ranmar::kSubsequenceBits;
  using Engine = ranmar::Engine<TypeParam>;
  EXPECT_EQ(saved(Engine(1, 6, kDistance + 3)), saved(Engine(1, 7, 3)));
  EXPECT_EQ(saved(Engine(1, 15, UINT64_MAX)), saved(Engine(1, 30, kDistance - 1)));
}

TYPED_TEST(EngineOf, DrawsUpToAnOffset) {
  ranmar::Engine<TypeParam> engine(3, 2);
  for (int i = 0; i < 150; ++i) engine();
  EXPECT_EQ(saved(engine), saved(ranmar::Engine<TypeParam>(3, 2, 150)));
}

// Every backend and every instruction set against the reference, bit for bit.

using ranmar::Form24, ranmar::Form48, ranmar::State, ranmar::detail::jumped;

// 10^9 numbers take 2 s a target; RANMAR_TEST_NUMBERS makes the check longer, or shorter where sanitizers
// slow it.
std::size_t parity_numbers() {
  const char* text = std::getenv("RANMAR_TEST_NUMBERS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1000000000;
}

template <class Form>
void expect_parity(std::int32_t seed, std::size_t total, std::size_t request) {
  auto reference = ranmar::seeded_state<Form>(seed);
  auto simd = reference;
  std::vector<typename Form::Real> expected(request), got(request);
  for (std::size_t done = 0; done < total; done += request) {
    ranmar::fill_reference(reference, expected.data(), request);
    ranmar::fill_simd(simd, got.data(), request);
    ASSERT_EQ(std::memcmp(expected.data(), got.data(), request * sizeof(typename Form::Real)), 0)
        << "within numbers " << done + 1 << " to " << done + request;
    ASSERT_EQ(reference, simd) << "state after number " << done + request;
  }
}

template <class Form>
void expect_any_split(std::uint32_t choice) {
  auto reference = ranmar::seeded_state<Form>(4711);
  auto simd = reference;
  std::mt19937 sizes(choice);
  std::vector<typename Form::Real> expected(3000), got(3000 + 64);
  for (int request = 0; request < 3000; ++request) {
    // mostly 0 to 4 numbers, sometimes many, as CORSIKA asks; to any alignment
    const std::size_t n = request % 16 == 0 ? sizes() % 3000 : sizes() % 5;
    const std::size_t offset = sizes() % 64;
    got[offset + n] = -1;  // must stay
    ranmar::fill_reference(reference, expected.data(), n);
    ranmar::fill_simd(simd, got.data() + offset, n);
    ASSERT_EQ(std::memcmp(expected.data(), got.data() + offset, n * sizeof(typename Form::Real)), 0);
    ASSERT_EQ(got[offset + n], -1) << "written past the end";
    ASSERT_EQ(reference, simd);
  }
}

class SimdTarget : public testing::TestWithParam<ranmar::SimdTarget> {
 protected:
  void SetUp() override { ranmar::use_simd_target(GetParam().bit); }
  void TearDown() override { ranmar::use_simd_target(0); }
};

template <class Form>
void expect_all() {
  expect_parity<Form>(54217137, parity_numbers(), 100000);
  for (std::int32_t seed : {1, 2, 11, 30081, 30082, 899999999, 900000000, 2147483647, 0, -5})
    expect_parity<Form>(seed, 200000, 1237);
  for (std::uint32_t choice = 1; choice <= 5; ++choice) expect_any_split<Form>(choice);
}
TEST_P(SimdTarget, EqualsReference48) { expect_all<Form48>(); }
TEST_P(SimdTarget, EqualsReference24) { expect_all<Form24>(); }

INSTANTIATE_TEST_SUITE_P(Compiled, SimdTarget, testing::ValuesIn(ranmar::simd_targets()),
                         [](const auto& info) { return info.param.name; });

TYPED_TEST(EngineOf, AZeroBecomesOneUnit) {
  for (const char* backend : {"reference", "simd"}) {
    auto state = before_a_zero<TypeParam>();
    std::vector<typename TypeParam::Real> out(64);
    ranmar::fill(ranmar::backend_of(backend), state, out.data(), out.size());
    EXPECT_EQ(out[0], TypeParam::kUnit) << backend;
  }
}

// Jumps against steps.

template <class Form>
State<Form> stepped(State<Form> state, std::size_t numbers) {
  expected_numbers(state, numbers);
  return state;
}

TEST(Jump, EqualsSteppingOverRandomSplits) {
  std::mt19937_64 random(20111);
  for (int trial = 0; trial < 340; ++trial) {
    const auto total = static_cast<std::size_t>(trial < 300 ? trial : random() % 1000000);
    const std::size_t part = total == 0 ? 0 : random() % total;
    const auto seed = static_cast<std::int32_t>(random() % 900000000);
    const auto start = ranmar::seeded_state<Form48>(seed);
    const auto end = stepped(start, total);
    EXPECT_EQ(jumped(jumped(start, static_cast<std::int64_t>(part)), static_cast<std::int64_t>(total - part)),
              end);
    EXPECT_EQ(stepped(jumped(start, static_cast<std::int64_t>(part)), total - part), end);
    const auto start24 = ranmar::seeded_state<Form24>(seed);
    EXPECT_EQ(jumped(start24, static_cast<std::int64_t>(total)), stepped(start24, total));
  }
}

// One in 16 million positions has an arithmetic part of 0, which is not the modulus.
TEST(Jump, ToAnArithmeticPartOfZero) {
  const auto start = ranmar::seeded_state<Form24>(5);
  std::int64_t numbers = 0;
  for (auto c = start.c; c != 0; ++numbers) c = ranmar::next_arithmetic(c);
  const auto end = jumped(start, numbers);
  EXPECT_EQ(end.c, 0U) << numbers;
  EXPECT_EQ(jumped(ranmar::seeded_state<Form48>(5), numbers).c, 0U);
  EXPECT_EQ(jumped(end, -numbers), start);
}

// Short jumps go word by word, longer ones by a polynomial.
TYPED_TEST(EngineOf, JumpWordByWordIsThePolynomial) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const auto numbers = static_cast<std::int64_t>(random() % (trial % 2 == 0 ? 400 : (1U << 18) + 100));
    for (const std::int64_t distance : {numbers, -numbers}) {
      const auto start = ranmar::seeded_state<TypeParam>(trial + 1);
      auto by_polynomial = start;
      ranmar::apply_jump(by_polynomial, ranmar::jump_polynomial(distance), distance);
      EXPECT_EQ(jumped(start, distance), by_polynomial) << distance;
    }
  }
}

// States as RMMAQD writes them.

TEST(RmmaqdState, SeedsOf0AndMoreRepeatAfter942438978) {
  constexpr std::int32_t kPeriod = 177 * 177 * 30082;
  const auto state = [](std::int32_t seed) { return ranmar::seeded_state<ranmar::Form48>(seed); };
  for (const std::int32_t seed : {0, 1, 30081, 7561022, 900000000 - kPeriod / 2, kPeriod - 1})
    EXPECT_EQ(state(seed), state(seed + kPeriod)) << seed;
  EXPECT_NE(state(-1), state(kPeriod - 1));
}

// CORSIKA may run with floating-point exceptions trapped, and a damaged file may hold any bits.
TEST(RmmaqdState, RefusesWhatIsNoStateWithoutAFloatingPointException) {
  using State = ranmar::RmmaqdState;
  const auto good = ranmar::to_rmmaqd(ranmar::seeded_state<ranmar::Form48>(1), 97);
  EXPECT_NO_THROW(ranmar::from_rmmaqd(good));
  const std::pair<const char*, void (*)(State&)> changes[] = {
      {"i97 0", [](State& s) { s.i97 = 0; }},
      {"j97 not 33 behind", [](State& s) { s.j97 = 34; }},
      {"u 1", [](State& s) { s.u[5] = 1.; }},
      {"u of 49 bits", [](State& s) { s.u[5] = 0x1p-49; }},
      {"u with a sign", [](State& s) { s.u[5] = -0.; }},
      {"c with a sign", [](State& s) { s.c = -0.; }},
      {"c its modulus", [](State& s) { s.c = 16777213. / 16777216.; }},
      {"u no number", [](State& s) { s.u[5] = std::nan(""); }},
      {"c no number", [](State& s) { s.c = std::nan(""); }},
      {"u infinite", [](State& s) { s.u[5] = HUGE_VAL; }},
      {"c infinite", [](State& s) { s.c = -HUGE_VAL; }},
      {"u too large", [](State& s) { s.u[5] = 1e308; }},
      {"c too large", [](State& s) { s.c = 1e308; }}};
  for (const auto& [what, change] : changes) {
    auto bad = good;
    change(bad);
    std::feclearexcept(FE_ALL_EXCEPT);
    EXPECT_THROW(ranmar::from_rmmaqd(bad), std::invalid_argument) << what;
    EXPECT_EQ(std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW), 0) << what;
  }
  auto zeros = good;
  zeros.c = zeros.u[5] = 0.;
  EXPECT_NO_THROW(ranmar::from_rmmaqd(zeros));
  EXPECT_THROW(ranmar::to_rmmaqd(ranmar::seeded_state<ranmar::Form48>(1), 98), std::invalid_argument);
}

}  // namespace
