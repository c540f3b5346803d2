#include "support/toml.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "error_of.hpp"
#include "support/temporary_folder.hpp"

using namespace support;

TEST(TomlFile, ValuesOfEachKind) {
  TemporaryFolder folder;
  const Toml toml =
      Toml::read(folder.write("a.toml",
                              "text = 'a b'\nwhole = -7\nnumber = 1.5\nfull = 3.0\nfar = inf\nflag = true\n"
                              "texts = ['x', 1, 'y']\nday = 2026-01-02\n[inner]\nkey = 'deep'\n"
                              "[[rows]]\nn = 1\n[[rows]]\nn = 2\n"));
  EXPECT_EQ(toml["text"].text(), "a b");
  EXPECT_EQ(toml["whole"].whole(), -7);
  EXPECT_EQ(toml["whole"].number(), -7.);
  EXPECT_EQ(toml["number"].number(), 1.5);
  EXPECT_EQ(toml["number"].whole(), std::nullopt);
  EXPECT_EQ(toml["full"].whole(), 3);
  EXPECT_EQ(toml["far"].whole(), std::nullopt);
  EXPECT_EQ(toml["far"].number(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(toml["flag"].flag(), true);
  EXPECT_EQ(toml["texts"].texts(), (std::vector<std::string>{"x", "y"}));
  EXPECT_FALSE(toml["day"]);
  EXPECT_EQ(toml["inner"]["key"].text(), "deep");
  ASSERT_EQ(toml["rows"].list().size(), 2U);
  EXPECT_EQ(toml["rows"].list()[1]["n"].whole(), 2);
}

TEST(TomlFile, WhatIsNotThereIsNothing) {
  TemporaryFolder folder;
  const Toml toml = Toml::read(folder.write("a.toml", "text = 'a'\n"));
  EXPECT_FALSE(toml["other"]["deeper"]);
  EXPECT_EQ(toml["text"].whole(), std::nullopt);
  EXPECT_TRUE(toml["text"]["inner"].table().empty());
  EXPECT_TRUE(toml["text"].texts().empty());
  EXPECT_FALSE(toml["text"].is_table());
  EXPECT_TRUE(toml.is_table());
}

TEST(TomlFile, ErrorsNameTheFileAndTheLine) {
  TemporaryFolder folder;
  const auto file = folder.write("b\xe9.toml", "a = 1\nb = = 2\n");
  const std::string error = error_of([&] { Toml::read(file, "profile"); });
  EXPECT_EQ(error.find("profile " + file.string() + ", line 2: "), 0U) << error;
  EXPECT_NE(error_of([&] { Toml::read(folder.path() / "none.toml"); }).find("none.toml"), std::string::npos);
  const auto cut = folder.write("cut.toml", "a = i\n");  // toml++ repeats the line's end
  EXPECT_EQ(error_of([&] { Toml::read(cut); }).find_first_of("\n\t"), std::string::npos);
}
