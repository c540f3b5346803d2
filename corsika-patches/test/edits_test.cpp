#include "corsika_patches/edits.h"

#include <gtest/gtest.h>

#include "sample_tree.h"
#include "support/error.hpp"

using namespace corsika_patches;

namespace {
std::string patched(const std::string& stock) {
  return apply_blocks(TextFile(stock), {{"FLAG", "t", 2, 2, {"new"}}, {"FLAG", "t", 1, 0, {"beside"}}}, "x");
}
}  // namespace

TEST(Edits, RoundTrip) {
  for (const std::string stock :
       {"a\nb\nc\nd\n", "a\r\nb\r\nc\r\nd\r\n", "a\nb\nc", "a\r\nb\r\nc", "a\n\n\xff\xfe\nb"}) {
    const auto text = patched(stock);
    EXPECT_NE(text, stock);
    EXPECT_EQ(sample::without_blocks(text), stock);
    if (stock.find('\r') != std::string::npos) {
      const TextFile lines(text);
      for (int i = 0; i + 1 < lines.line_count(); ++i) EXPECT_EQ(lines.line_end(i), "\r\n");
    }
  }
}

TEST(Edits, NothingIsPutBehindALastLineWithoutItsEnd) {
  EXPECT_THROW(apply_blocks(TextFile("a\nb"), {{"FLAG", "t", 2, 1, {"new"}}}, "x"), support::Error);
  for (const char* stock : {"a\nb\n", ""}) {
    const TextFile text{std::string(stock)};
    const int end = text.line_count();
    EXPECT_EQ(sample::without_blocks(apply_blocks(text, {{"FLAG", "t", end, end - 1, {"new"}}}, "x")), stock);
  }
}

// The stock text could not be told from the line end that is put in.
TEST(Edits, ALastLineThatEndsWithCarriageReturnAloneIsRefused) {
  EXPECT_THROW(patched("a\nb\nc\r"), support::Error);
  EXPECT_THROW(patched("a\r\nb\r\nc\r"), support::Error);
}

TEST(Edits, OverlapsAreRefused) {
  EXPECT_THROW(apply_blocks(TextFile("a\nb\nc\n"), {{"F", "t", 0, 1, {}}, {"F", "t", 1, 2, {}}}, "x"),
               support::Error);
}
