// Particles by name and by code.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "overlay/card/card.hpp"

namespace overlay {
namespace {

TEST(Particles, NamesAndCodesAreCodes) {
  const std::pair<const char*, const char*> known[] = {
      {"gamma", "1"},    {"Positron", "2"},    {"electron", "3"},   {"PROTON", "14"},
      {"helium", "402"}, {"nitrogen", "1407"}, {"silicon", "2814"}, {"iron", "5626"},
      {"5626", "5626"},  {"014", "14"},        {"402", "402"},      {"302", "302"}};
  for (const auto& [text, code] : known) EXPECT_EQ(particle_code(text), code);
  for (const char* wrong : {"", "gama", "0", "-1", "1.", "203", "403", "9999", "25100", "1,14"})
    EXPECT_NE(error_of([&] { particle_code(wrong); }).find("no primary is called '"), std::string::npos)
        << wrong;
  EXPECT_EQ(particle_name("1407"), "nitrogen");
  EXPECT_EQ(particle_name("75"), "75");
}

}  // namespace
}  // namespace overlay
