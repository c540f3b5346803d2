// The class of a production: the first node's stays.
#include "overlay/production/node_class.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "example_plan.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

TEST(NodeClass, BitsAreTheSameEachTime) {
  EXPECT_EQ(libm_bits().size(), 64U);
  EXPECT_EQ(libm_bits(), libm_bits());
  // That other variants give other bits is tested in command/production_run_test.sh: a program chooses its
  // variants when it starts.
}

TEST(NodeClass, TheFirstOneStays) {
  const support::TemporaryFolder production;
  EXPECT_EQ(claim_class(production.path(), "aaaa"), "aaaa");
  EXPECT_EQ(claim_class(production.path(), "cccc"), "aaaa");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(production.path()), {}), 1);
}

TEST(NodeClass, ADamagedFileIsNoClass) {
  const support::TemporaryFolder production;
  for (const char* text : {"{\"libm\": \"aa", "[]", "{\"libm\": 7}"}) {
    production.write("node-class.json", text);
    EXPECT_NE(error_of([&] { claim_class(production.path(), "a"); }).find("is damaged"), std::string::npos);
  }
}

/// A node on which libm gives these bits.
std::filesystem::path node(const support::TemporaryFolder& folder, char digit) {
  return folder.write("node", "#!/bin/sh\necho " + std::string(64, digit) + "\n", true);
}

TEST(NodeClass, ANodeWithOtherBitsIsRefusedUnlessAllAreTaken) {
  const support::TemporaryFolder production;
  ProductionPlan plan = example_plan();
  EXPECT_EQ(checked_class(plan, production.path(), node(production, '1')), std::string(64, '1'));
  EXPECT_EQ(checked_class(plan, production.path(), node(production, '1')), std::string(64, '1'));
  EXPECT_NE(error_of([&] {
              checked_class(plan, production.path(), node(production, '2'));
            }).find("libm gives other bits here (222222222222 instead of 111111111111)"),
            std::string::npos);
  plan.class_policy = "any";
  EXPECT_EQ(checked_class(plan, production.path(), node(production, '2')), "");
}

}  // namespace
}  // namespace overlay
