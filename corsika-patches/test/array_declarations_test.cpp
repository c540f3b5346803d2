#include "corsika_patches/array_declarations.h"

#include <gtest/gtest.h>

using namespace corsika_patches;

TEST(ArrayDeclarations, CombinesTypeAndDimension) {
  ArrayDeclarations d;
  d.add("DOUBLEPRECISIONA,B(3),C");
  d.add("DIMENSIONA(1)");
  d.add("COMMON/X/C(2,2),D/Y/E(5)");
  d.add("EQUIVALENCE(B(1),Q)");
  EXPECT_TRUE(d.find("A")->typed_double());
  EXPECT_EQ(d.find("A")->dimensions.size(), 1U);
  EXPECT_TRUE(d.find("B")->aliased);
  EXPECT_EQ(d.find("C")->dimensions.size(), 2U);
  EXPECT_EQ(d.find("E")->dimensions.at(0), "5");
  EXPECT_EQ(d.find("Z"), nullptr);
}

TEST(ArrayDeclarations, SeesContradictions) {
  ArrayDeclarations d;
  d.add("DOUBLEPRECISIONA(3)");
  d.add("DIMENSIONA(4)");
  EXPECT_TRUE(d.find("A")->uncertain);
}
