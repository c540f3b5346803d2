#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "ranmar/fill.hpp"
#include "ranmar/ranmar.h"

namespace {

struct CApi : testing::Test {
  void SetUp() override { ASSERT_EQ(ranmar_create(&generator, RANMAR_48_BIT, 9, "auto"), RANMAR_OK); }
  void TearDown() override { ranmar_destroy(generator); }
  ranmar_generator* generator = nullptr;
};

TEST_F(CApi, GivesTheSequence) {
  ASSERT_EQ(ranmar_seed(generator, 3, 777, 12345), RANMAR_OK);
  std::vector<double> got(1000);
  ASSERT_EQ(ranmar_fill(generator, 3, got.data(), got.size()), RANMAR_OK);
  auto state = ranmar::seeded_state<ranmar::Form48>(777);
  std::vector<double> expected(13345);
  ranmar::fill_reference(state, expected.data(), expected.size());
  EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin() + 12345));
  std::uint64_t position = 0;
  ASSERT_EQ(ranmar_position(generator, 3, &position), RANMAR_OK);
  EXPECT_EQ(position, 13345U);
}

TEST_F(CApi, ExportAndImportMoveASequence) {
  ASSERT_EQ(ranmar_seed(generator, 1, 5, 3000000000U), RANMAR_OK);
  std::vector<double> ahead(500);
  ASSERT_EQ(ranmar_fill(generator, 1, ahead.data(), ahead.size()), RANMAR_OK);
  ranmar_rmmaqd_state state;
  ASSERT_EQ(ranmar_export(generator, 1, 400, &state), RANMAR_OK);
  EXPECT_EQ(state.ijkl, 5);
  EXPECT_EQ(state.ntot, 100);
  EXPECT_EQ(state.ntot2, 3);
  EXPECT_EQ(state.i97, 97 - (3000000100LL % 97));
  ASSERT_EQ(ranmar_import(generator, 2, &state), RANMAR_OK);
  std::vector<double> again(400);
  ASSERT_EQ(ranmar_fill(generator, 2, again.data(), again.size()), RANMAR_OK);
  EXPECT_TRUE(std::equal(again.begin(), again.end(), ahead.begin() + 100));
  ranmar_rmmaqd_state copy;
  ASSERT_EQ(ranmar_export(generator, 2, 400, &copy), RANMAR_OK);
  EXPECT_TRUE(std::equal(std::begin(state.u), std::end(state.u), std::begin(copy.u)));
  EXPECT_EQ(state.i97, copy.i97);
  EXPECT_EQ(state.ntot, copy.ntot);
}

TEST_F(CApi, SkipsBothWays) {
  ASSERT_EQ(ranmar_seed(generator, 1, 5, 0), RANMAR_OK);
  double first = 0.;
  double again = 0.;
  ASSERT_EQ(ranmar_fill(generator, 1, &first, 1), RANMAR_OK);
  ASSERT_EQ(ranmar_skip(generator, 1, 1000000000000000000), RANMAR_OK);
  ASSERT_EQ(ranmar_skip(generator, 1, -1000000000000000001), RANMAR_OK);
  ASSERT_EQ(ranmar_fill(generator, 1, &again, 1), RANMAR_OK);
  EXPECT_EQ(first, again);
}

TEST_F(CApi, TellsWhatIsWrong) {
  double number = 0.;
  float single = 0.F;
  ranmar_rmmaqd_state state{};
  EXPECT_EQ(ranmar_fill(generator, 1, &number, 1), RANMAR_NOT_SEEDED);
  EXPECT_NE(std::string(ranmar_message()), "");
  EXPECT_EQ(ranmar_seed(generator, 10, 1, 0), RANMAR_BAD_SEQUENCE);
  EXPECT_EQ(ranmar_fill(nullptr, 1, &number, 1), RANMAR_BAD_ARGUMENT);
  ASSERT_EQ(ranmar_seed(generator, 1, 1, 0), RANMAR_OK);
  EXPECT_EQ(ranmar_fill(generator, 1, nullptr, 1), RANMAR_BAD_ARGUMENT);
  EXPECT_EQ(ranmar_fill(generator, 1, nullptr, 0), RANMAR_OK);
  EXPECT_EQ(ranmar_fill_float(generator, 1, &single, 1), RANMAR_WRONG_FORM);
  EXPECT_EQ(ranmar_import(generator, 1, &state), RANMAR_BAD_ARGUMENT);
  ranmar_generator* none = nullptr;
  EXPECT_EQ(ranmar_create(&none, RANMAR_48_BIT, 1, "warp"), RANMAR_BAD_ARGUMENT);
  EXPECT_NE(std::string(ranmar_message()).find("simd"), std::string::npos);
  EXPECT_EQ(none, nullptr);
}

TEST(CApi24, MakesFloats) {
  ranmar_generator* generator = nullptr;
  ASSERT_EQ(ranmar_create(&generator, RANMAR_24_BIT, 1, "simd"), RANMAR_OK);
  ASSERT_EQ(ranmar_seed(generator, 1, 54217137, 20000), RANMAR_OK);
  float number = 0.F;
  ASSERT_EQ(ranmar_fill_float(generator, 1, &number, 1), RANMAR_OK);
  EXPECT_EQ(number * 0x1p24F, 6533892.F);
  ranmar_destroy(generator);
}

}  // namespace
