// Tests of the judgement of batteries and chains, on lines as these programs print them; and of the list of
// checks.
#include <gtest/gtest.h>

#include <set>

#include "check.hpp"

namespace validation {
namespace {

Check battery(Judge how) {
  return {.name = "b",
          .group = "g",
          .claim = "c",
          .command = "true",
          .judge = how,
          .known_weaknesses = {"WeightDistrib"}};
}

std::string testu01(const char* name, const char* p) {
  return std::string("SmallCrush\t7\t") + name + "\t" + p + "\n# seconds 3\n";
}

TEST(PValues, OfDieharderAndTestu01) {
  const auto diehard = p_values(
      "#====#\n        test_name   |ntup| tsamples |psamples|  p-value |Assessment\n"
      "        sts_serial|   3|    100000|     100|0.99980163|   WEAK   \n"
      "   rgb_lagged_sum|  28|   1000000|     100|0.00000000|  FAILED  \n");
  ASSERT_EQ(diehard.size(), 2U);
  EXPECT_EQ(diehard[0].name, "sts_serial 3");
  EXPECT_DOUBLE_EQ(diehard[0].number, 0.99980163);
  EXPECT_EQ(diehard[1].number, 0.);
  const auto crush = p_values(testu01("Gap, r = 0", "9.457990e-13"));
  ASSERT_EQ(crush.size(), 1U);
  EXPECT_EQ(crush[0].name, "Gap, r = 0");
  EXPECT_DOUBLE_EQ(crush[0].number, 9.45799e-13);
}

TEST(PValues, OfPractRand) {
  const auto values = p_values(
      "length= 1 gigabyte (2^30 bytes), time= 20.7 seconds\n"
      "  Test Name                         Raw       Processed     Evaluation\n"
      "  [Low1/32]BCFN(2+0,13-4,T)         R= +87.6  p =  3.3e-38    FAIL !!!       \n"
      "  BRank(12):768(1)                  R= +3317  p~=  1.2e-999   FAIL !!!!!!!   \n"
      "  mod3n(5):(6,9-3)                  R=  -4.3  p =1-9.9e-3   normal           \n");
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[0].name, "[Low1/32]BCFN(2+0,13-4,T)");
  EXPECT_DOUBLE_EQ(values[0].number, 3.3e-38);
  EXPECT_EQ(values[1].number, 0.);
  EXPECT_DOUBLE_EQ(values[2].number, 1. - 9.9e-3);
}

TEST(Judge, OfABattery) {
  const auto verdict = [](Judge how, const std::string& output) {
    return judge(battery(how), 0, false, output).verdict;
  };
  EXPECT_EQ(verdict(Judge::kAccepted, testu01("Gap", "0.3")), Verdict::kHolds);
  EXPECT_EQ(verdict(Judge::kAccepted, testu01("Gap", "1e-7")), Verdict::kFails);
  EXPECT_EQ(verdict(Judge::kAccepted, testu01("Gap", "0.99999999")), Verdict::kFails);
  EXPECT_EQ(verdict(Judge::kAccepted, testu01("Gap", "nan")), Verdict::kFails);
  EXPECT_EQ(verdict(Judge::kAccepted, testu01("WeightDistrib", "1e-12")), Verdict::kHolds);
  EXPECT_EQ(verdict(Judge::kAccepted, "nothing\n"), Verdict::kFails);
  EXPECT_EQ(verdict(Judge::kRejected, testu01("Gap", "0.3")), Verdict::kFails);
  EXPECT_EQ(verdict(Judge::kRejected, testu01("Gap", "1e-7")), Verdict::kHolds);
}

TEST(Judge, OfTheWayACommandEnds) {
  const auto check = battery(Judge::kStatus);
  EXPECT_EQ(judge(check, 0, false, "good\n").verdict, Verdict::kHolds);
  EXPECT_EQ(judge(check, 1, false, "bad\n").said, "exit status 1: bad");
  EXPECT_EQ(judge(check, 0, true, "slow\n").verdict, Verdict::kFails);
  const auto skipped = judge(check, 77, false, "SKIPPED: no device\n");
  EXPECT_EQ(skipped.verdict, Verdict::kSkipped);
  EXPECT_EQ(skipped.said, "no device");
  // A battery that ended badly is no good battery, whatever it printed before.
  EXPECT_EQ(judge(battery(Judge::kAccepted), 1, false, testu01("Gap", "0.3")).verdict, Verdict::kFails);
}

TEST(Judge, OfAChain) {
  const auto line = [](const char* energy, const char* heat) {
    return std::string("simd\twolff\t16\t1\t1000\t-1.4\t0.1\t-1.4\t1.4\t0.1\t1.4\t") + energy + "\t" + heat +
           "\n";
  };
  const auto good = battery(Judge::kIsing), caught = battery(Judge::kIsingCaught);
  EXPECT_EQ(judge(good, 0, false, line("-3.9", "1")).verdict, Verdict::kHolds);
  EXPECT_EQ(judge(good, 0, false, line("1", "-4.1")).verdict, Verdict::kFails);
  EXPECT_EQ(judge(good, 0, false, line("nan", "1")).verdict, Verdict::kFails);
  EXPECT_EQ(judge(good, 0, false, "simd\n").verdict, Verdict::kFails);
  EXPECT_EQ(judge(good, 0, false,
                  "# simd gave the same 9 numbers\n# cuda is not on this machine\n" + line("1", "2"))
                .said,
            "energy off by 1, specific heat by 2 standard errors; the same numbers from simd");
  EXPECT_EQ(judge(caught, 0, false, line("-3.9", "1")).verdict, Verdict::kFails);
  EXPECT_EQ(judge(caught, 0, false, line("-1", "-6")).verdict, Verdict::kHolds);
}

TEST(Checks, HaveNamesOfTheirOwn) {
  for (const bool full : {false, true}) {
    for (const bool has : {false, true}) {
      validation::Setup setup{.programs = "/programs", .known_answers = "/k", .out = "/out", .full = full};
      setup.has_dieharder = setup.has_testu01 = setup.has_practrand = has;
      if (has) setup.sts = "/sts";
      std::set<std::string> names;
      const auto all = checks(setup);
      for (const auto& check : all) EXPECT_TRUE(names.insert(check.name).second) << check.name;
      EXPECT_GT(all.size(), 30U);
    }
  }
}

}  // namespace
}  // namespace validation
