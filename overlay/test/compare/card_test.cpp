#include <gtest/gtest.h>

#include "overlay/compare/compare.hpp"

namespace overlay {
namespace {

TEST(Card, ShowersAreReadAndReplaced) {
  const std::string card = "RUNNR 1\nNSHOW   10    number of showers\nEXIT\n";
  EXPECT_EQ(showers_of_card(card), 10);
  EXPECT_EQ(card_with_showers(card, 2), "RUNNR 1\nNSHOW   2\nEXIT\n");
  EXPECT_EQ(showers_of_card(card_with_showers(card, 3)), 3);
  EXPECT_EQ(showers_of_card("nshow 4\n"), 4);
  EXPECT_EQ(showers_of_card("EXIT\n"), 1);
  EXPECT_THROW(card_with_showers("EXIT\n", 2), support::Error);
}

}  // namespace
}  // namespace overlay
