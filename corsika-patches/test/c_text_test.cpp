#include "corsika_patches/c_text.h"

#include <gtest/gtest.h>

#include <string>

using namespace corsika_patches;

TEST(CText, CommentsGoAndLinesStay) {
  EXPECT_EQ(without_c_comments("a /* b\nc */ d // e\nf"), "a  \n d  \nf");
  EXPECT_EQ(without_c_comments("a // b \\\nc\nd"), "a  \n\nd") << "a joined line belongs to the comment";
  EXPECT_EQ(without_c_comments("a / b // c"), "a / b  ");
  EXPECT_EQ(without_c_comments("a /* open\nb"), "a  \n");
  for (const std::string text : {"\"/* a */ // b\"", "'\"' + '/'", "\"\\\"/* a */\"", "'\\'' + 1", "a \\\nb",
                                 "#error don't\nint b;\n"})
    EXPECT_EQ(without_c_comments(text), text);
  EXPECT_EQ(without_c_comments("#error don't\n/* a */b"), "#error don't\n b")
      << "a constant ends with its line";
}

TEST(CText, FirstLineWithAName) {
  const auto line = [](const std::string& text) { return first_line_with(text, {"hit_", "end_"}); };
  EXPECT_EQ(line("int a;\nint hit_(double x);\nint hit_(double x) {}\n"), 1);
  EXPECT_EQ(line("int a;\nint b(void) { end_(); }\n"), 1);
  EXPECT_EQ(line("int a;\n#if A\n # if B\nint hit_();\n# endif\n#endif\n"), 1)
      << "before the outermost conditional around it";
  EXPECT_EQ(line("#if A\n#endif\n#ifdef B\n#else\nint hit_();\n#endif\n"), 2);
  EXPECT_EQ(line("#if A\n#endif\nint hit_();\n"), 2);
  EXPECT_EQ(line("#define hit_ x\n/* hit_ */ int hit_2, my_hit_;\n// end_\n"), -1);
}

TEST(CText, ArgumentsInAnyBuild) {
  EXPECT_EQ(argument_count("/* f(a) */ int f(double a, /* b, */ double c);", "f"), 2);
  EXPECT_EQ(argument_count("int f (int *a,\n int b\n#ifdef MORE\n, int c\n#endif\n)\n{", "f"), 2);
  EXPECT_EQ(argument_count("int ff(int a); int f();", "f"), 0);
}
