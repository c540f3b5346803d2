#include "corsika_patches/overlay_marks.h"

#include <gtest/gtest.h>

#include "sample_tree.h"
#include "support/error.hpp"

using namespace corsika_patches;
using sample::swapped;

namespace {

/// A text with one block of ours in it.
std::string marked(const std::string& end = "\n") {
  const std::string ours = "ours" + end, stock = "stock" + end;
  return "before" + end + Marks::begin("FLAG", "rules", 1, 1, Marks::digest(ours, stock)) + end + ours +
         Marks::otherwise("rules", 1) + end + stock + Marks::end("rules", 1, false) + end + "after" + end;
}

}  // namespace

TEST(OverlayMarks, AreTakenOut) {
  EXPECT_TRUE(has_marks(marked()));
  EXPECT_EQ(strip_marks(marked(), "x.F"), "before\nstock\nafter\n");
  EXPECT_EQ(strip_marks(marked("\r\n"), "x.F"), "before\r\nstock\r\nafter\r\n");
}

TEST(OverlayMarks, WhatIsNotQuiteAMarkIsText) {
  for (const char* line :
       {"#if FLAG /* rules-overlay begin 1 */", "#if FLAG /* -overlay begin 1/1 0123456789abcdef */",
        "#if FLAG /* rules-overlay begin 1/1 0123456789abcdeX */",
        "#if FLAG /* rules-overlay begin 1/1 0123456789abcde */", "#else /* rules-overlay else 1234567 */",
        "#endif /* rules-overlay end x */", "#endif /* rules-overlay end 1",
        "#endif /* rules-overlay over 1 */", "C /* rules-overlay end 1 */", "#endif /* rules-overlay  */",
        "#-overlay */", "#if /* */ -overlay  */", "#define X /* rules-overlay end 1 */",
        "#endif /* -overlay */"})
    EXPECT_FALSE(has_marks(std::string("text\n") + line + "\nmore")) << line;
  EXPECT_TRUE(has_marks("#endif /* rules-overlay end 1 */ \t"));
  EXPECT_TRUE(has_marks("#if A && /* B */ C /* rules-overlay begin 1/17 0123456789abcdef */"));
}

TEST(OverlayMarks, BrokenBlocksAreRefused) {
  const auto text = marked();
  for (const auto& broken : {swapped(text, "ours\n", "OURS\n"), swapped(text, "stock\n", ""),
                             swapped(text, "begin 1/1", "begin 1/2"), swapped(text, "end 1 ", "end 2 "),
                             swapped(text, "#endif /* rules-overlay end 1 */\n", ""), text + text})
    EXPECT_THROW(strip_marks(broken, "x.F"), support::Error) << broken;
}
