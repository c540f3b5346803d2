#include "corsika_patches/options.h"

#include <gtest/gtest.h>

#include "support/error.hpp"

using namespace corsika_patches;

namespace {

FixedFormSource source_of(const std::string& text) { return FixedFormSource(TextFile(text)); }

TEST(Options, ConditionsAreRead) {
  const std::set<std::string> on = {"__A__", "__B__"};
  EXPECT_TRUE(holds("__A__", on));
  EXPECT_FALSE(holds("!__A__", on));
  EXPECT_TRUE(holds("__A__ && !__C__", on));
  EXPECT_FALSE(holds("__C__ && __A__ || __C__", on));
  EXPECT_TRUE(holds("__C__ || ( __A__ && ( __C__ || __B__ ) )", on));
  EXPECT_TRUE(holds("defined(__A__) && defined __B__ && !defined(__C__)", on));
  EXPECT_TRUE(holds("1 && !0 /* a comment */", on));
  for (const char* bad : {"__A__ > 2", "", "( __A__", "__A__ __B__", "defined()"})
    EXPECT_THROW(holds(bad, on), support::Error) << bad;
}

TEST(Options, BranchesExcludeEachOther) {
  const auto source = source_of(
      "      SUBROUTINE S\n#if __A__\n      I = 1\n#elif __B__\n      I = 2\n#else\n      I = 3\n#endif\n"
      "#ifdef __A__\n      J = 1\n#endif\n#ifndef __A__\n      J = 2\n#endif\n      END\n");
  const auto active = [&](const std::set<std::string>& on) {
    std::string out;
    for (const auto& s : source.statements())
      if (is_active(source, s.branch, on)) out += s.text + ";";
    return out;
  };
  EXPECT_EQ(active({}), "SUBROUTINES;I=3;J=2;END;");
  EXPECT_EQ(active({"__B__"}), "SUBROUTINES;I=2;J=2;END;");
  EXPECT_EQ(active({"__A__", "__B__"}), "SUBROUTINES;I=1;J=1;END;");
}

}  // namespace
