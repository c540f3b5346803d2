// The class of a production: the first node's stays.
#include "overlay/production/node_class.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "example_plan.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

TEST(NodeClass, TheFirstOneStays) {
  const support::TemporaryFolder production;
  EXPECT_FALSE(production_class(production.path()));
  const NodeClass first{"aaaa", "bbbb"}, second{"cccc", "bbbb"}, third{"aaaa", "dddd"};
  EXPECT_EQ(claim_class(production.path(), first), first);
  EXPECT_EQ(claim_class(production.path(), second), first);
  EXPECT_EQ(production_class(production.path()), first);
  EXPECT_EQ(class_difference(first, first), "");
  EXPECT_EQ(class_difference(second, first), "libm gives other bits here (cccc instead of aaaa)");
  EXPECT_EQ(class_difference(third, first),
            "one shower of the program has other bytes here (dddd instead of bbbb)");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(production.path()), {}), 1);
}

TEST(NodeClass, ADamagedFileIsNoClass) {
  const support::TemporaryFolder production;
  production.write("node-class.json", "{\"libm\": \"aa");
  EXPECT_NE(error_of([&] { production_class(production.path()); }).find("is damaged"), std::string::npos);
}

TEST(NodeClass, OnlyPinnedProductionsSetTunables) {
  ProductionPlan plan = example_plan();
  EXPECT_EQ(tunables_of(plan), "");
  plan.class_policy = "pinned";
  EXPECT_EQ(tunables_of(plan), kPinnedTunables);
  plan.tunables = "glibc.cpu.hwcaps=-FMA";
  EXPECT_EQ(tunables_of(plan), "glibc.cpu.hwcaps=-FMA");
}

}  // namespace
}  // namespace overlay
