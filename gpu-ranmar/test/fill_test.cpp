// Every backend and every instruction set against the reference, bit for bit.
#include "ranmar/fill.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "ranmar_testing/simd_target.hpp"

namespace {

using ranmar::Form24;
using ranmar::Form48;

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
  std::vector<typename Form::Real> expected(request);
  std::vector<typename Form::Real> got(request);
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
  std::vector<typename Form::Real> expected(3000);
  std::vector<typename Form::Real> got(3000 + 64);
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

template <class Form>
void expect_zero_becomes_one_unit(ranmar::Backend backend) {
  // The word that c_1 cancels exactly: x_1 = x_(1-97) - x_(1-33).
  auto state = ranmar::seeded_state<Form>(1);
  const typename Form::Word c = ranmar::next_arithmetic<Form>(state.c);
  state.x[0] = state.x[64] + (c << Form::kArithmeticShift);
  EXPECT_TRUE(ranmar::next_is_zero(state));
  std::vector<typename Form::Real> out(64);
  ranmar::fill(backend, state, out.data(), out.size());
  EXPECT_EQ(out[0], Form::kUnit);
}

TEST(Fill, ZeroBecomesOneUnit) {
  for (ranmar::Backend backend : {ranmar::Backend::kReference, ranmar::Backend::kSimd}) {
    expect_zero_becomes_one_unit<Form48>(backend);
    expect_zero_becomes_one_unit<Form24>(backend);
  }
}

TEST(Backend, NamesAreReadBack) {
  for (ranmar::Backend backend : {ranmar::Backend::kReference, ranmar::Backend::kSimd}) {
    EXPECT_EQ(ranmar::backend_of(ranmar::name(backend)), backend);
  }
  EXPECT_THROW(ranmar::backend_of("fast"), std::invalid_argument);
}

}  // namespace
