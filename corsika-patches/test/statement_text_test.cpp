#include "corsika_patches/statement_text.h"

#include <gtest/gtest.h>

#include <tuple>

using namespace corsika_patches;

TEST(StatementText, ParenthesesCloseOutsideQuotes) {
  EXPECT_EQ(closing_parenthesis("A(B(1),')',C)=2", 1), 12U);
  EXPECT_EQ(closing_parenthesis("A((1)", 1), std::string_view::npos);
}

TEST(StatementText, ArgumentsEndAtCommasOfTheirOwnLevel) {
  EXPECT_EQ(split_arguments("A,B(1,2),',\"',C"), (std::vector<std::string>{"A", "B(1,2)", "',\"'", "C"}));
  EXPECT_EQ(split_arguments("A,"), (std::vector<std::string>{"A", ""}));
  EXPECT_TRUE(split_arguments("").empty());
}

TEST(StatementText, EqualsThatAssign) {
  EXPECT_EQ(top_level_equals("A(I,K=1)=2"), 8U);
  EXPECT_EQ(top_level_equals("WRITE(6,'(A=)')"), std::string_view::npos);
}

TEST(StatementText, LengthsOfTypes) {
  for (const auto& [text, length, behind] : {std::tuple{"*8,X", "*8", "X"},
                                             {"*(*)A,B", "*(*)", "A,B"},
                                             {"*12X", "*12", "X"},
                                             {"X*8", "", "X*8"}}) {
    std::string_view rest = text;
    EXPECT_EQ(take_length(rest), length) << text;
    EXPECT_EQ(rest, behind) << text;
  }
}
