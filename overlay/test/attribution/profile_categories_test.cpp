#include "overlay/attribution/profile_categories.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace overlay {
namespace {

std::string category_of(const Place& place) {
  static const CategoryList list = CategoryList::standard();
  return list.categories().at(list.find(place)).name;
}

Place in_program(const std::string& symbol, std::vector<Frame> frames = {}) {
  return {"corsika", "program", symbol, std::move(frames)};
}

TEST(Stages, EveryStockRoutineIsTheGenerator) {
  for (const char* symbol : {"rmmard_", "rmmaqd_", "grndm_", "flrndm_", "ranf_", "rndm_", "hwrgen_",
                             "rangen_", "drangen_", "dranegs_", "pyr_", "psran_", "qgran_", "s_rndm_",
                             "rm48_", "g900gt_", "g900st_", "rmmard_.constprop.0"})
    EXPECT_EQ(category_of(in_program(symbol)), "generator") << symbol;
}

TEST(Stages, EverythingOfOursIsTheGenerator) {
  EXPECT_EQ(category_of(in_program("_ZN6ranmar6N_AVX24FillEPdm")), "generator");
  EXPECT_EQ(category_of(in_program("rnm_refill_")), "generator");
  EXPECT_EQ(category_of({"libranmar.so.0", "library", "", {}}), "generator");
  EXPECT_EQ(category_of(in_program("_ZN3hwy6detailE", {{"f", "/x/gpu-ranmar/src/simd.cpp", 3}})), "generator");
}

TEST(Stages, ADrawInlinedAtACallSiteIsTheGenerator) {
  EXPECT_EQ(category_of(in_program("cerenk_", {{"cerenk_", "/t/src/ranmar_draw.inc", 3}})), "generator");
  EXPECT_EQ(category_of(in_program("cerenk_",
                                {{"grndm_", "/t/src/corsika.F", 3}, {"cerenk_", "/t/src/corsika.F", 9}})),
            "generator");
  EXPECT_EQ(category_of(in_program("cerenk_", {{"cerenk_", "/t/src/corsika.F", 3}})), "light-emission");
  EXPECT_EQ(category_of(in_program("cerenk_", {{"cerenk_", "/t/src/not_ranmar.inc", 3}})), "light-emission");
}

// The overlay gives CORSIKA's routines other names, and stands in their place.
TEST(Stages, RoutinesBehindOursStayWhereTheyWere) {
  EXPECT_EQ(category_of(in_program("chrcer_")), "light-emission");
  EXPECT_EQ(category_of(in_program("cherenkov_stock_telout_")), "light-telescopes");
  EXPECT_EQ(category_of(in_program("cherenkov_stock_telend_")), "light-telescopes");
  EXPECT_EQ(category_of(in_program("cherenkov_stock_raybnd_")), "light-refraction");
  for (const char* ours : {"chrstp_", "chrini_", "chrend_", "cherenkov_telout", "cherenkov_raybnd",
                           "cherenkov_iact_telescopes", "_ZN9cherenkov7corsika5StageD1Ev"})
    EXPECT_EQ(category_of(in_program(ours)), "light-stage") << ours;
}

TEST(Stages, TheRest) {
  EXPECT_EQ(category_of({"libm.so.6", "library", "", {}}), "mathematics");
  EXPECT_EQ(category_of({"libc.so.6", "library", "memcpy", {}}), "libraries");
  EXPECT_EQ(category_of(in_program("thcksi_")), "light-longitudinal");
  EXPECT_EQ(category_of(in_program("someroutine_")), "other");
  EXPECT_EQ(category_of(in_program("trace_ray_planar.constprop.0")), "startup");
  EXPECT_EQ(category_of(in_program("mkwtab_")), "startup");
  EXPECT_EQ(category_of({"[vdso]", "kernel", "", {}}), "other");
}

TEST(Stages, BadListsAreErrors) {
  EXPECT_THROW(CategoryList("{", "x"), support::Error);
  EXPECT_THROW(CategoryList(R"({"categories": [{"name": "other"}]})", "x"), support::Error);
}

}  // namespace
}  // namespace overlay
