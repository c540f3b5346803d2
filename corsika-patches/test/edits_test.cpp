#include "corsika_patches/edits.h"

#include <gtest/gtest.h>

#include "corsika_patches/overlay_marks.h"
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
    EXPECT_TRUE(has_marks(text));
    EXPECT_FALSE(has_marks(stock));
    EXPECT_EQ(strip_marks(text, "x"), stock);
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
    EXPECT_EQ(strip_marks(apply_blocks(text, {{"FLAG", "t", end, end - 1, {"new"}}}, "x"), "x"), stock);
  }
}

// Taking the block out takes the line end that was put in with it: LF, or CR and LF.
TEST(Edits, ALastLineThatEndsWithCarriageReturnAloneIsRefused) {
  EXPECT_THROW(patched("a\nb\nc\r"), support::Error);
  EXPECT_THROW(patched("a\r\nb\r\nc\r"), support::Error);
}

TEST(Edits, EditsOutsideStayAndEditsInsideAreRefused) {
  const auto text = patched("a\nb\nc\nd\n");
  EXPECT_EQ(strip_marks(std::string("head\n").append(text).append("tail"), "x"), "head\na\nb\nc\nd\ntail");
  for (const std::string inside : {"new\n", "c\n", "beside\n"}) {
    auto edited = text;
    edited.insert(edited.find(inside), 1, 'x');
    EXPECT_THROW(strip_marks(edited, "x"), support::Error) << inside;
  }
  auto cut = text;
  cut.erase(cut.find("#else"), cut.find('\n', cut.find("#else")) - cut.find("#else") + 1);
  EXPECT_THROW(strip_marks(cut, "x"), support::Error);
  EXPECT_THROW(strip_marks(text.substr(0, text.find("#else")), "x"), support::Error);
  EXPECT_THROW(strip_marks(text.substr(text.find("b\n")), "x"), support::Error);
}

TEST(Edits, OverlapsAreRefused) {
  EXPECT_THROW(apply_blocks(TextFile("a\nb\nc\n"), {{"F", "t", 0, 1, {}}, {"F", "t", 1, 2, {}}}, "x"),
               support::Error);
}
