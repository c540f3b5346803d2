#include "corsika_patches/c_source.h"

#include <gtest/gtest.h>

#include "sample_tree.h"

using namespace corsika_patches;
using sample::swapped;

namespace {

/// A hit test in words of our own: prototypes, a macro under a condition, conditionals in head and body.
const char* const kHit =
    "/* int hit_(double x) { } in a comment */\n"
    "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
    "struct disc { double x, r; };\n"
    "int hit_(double *x, double *y\n#ifdef LONG_HIT\n, double *more\n#endif\n);\n"
    "static const char *what = \"int hit_(double x) { }\";\n"
    "#if 0\nstatic double twice(double x) { return 2. * x; }\n#else\n#define twice(x) (2. * (x))\n#endif\n"
    "static int other(void) { return hit_(0, 0); }\n"
    "int hit_ (double *x, double *y\n#ifdef LONG_HIT\n   , double *more\n#endif\n   )\n{\n"
    "#ifdef TALK\n  if (*x > 0.) {\n    printf(\"hit\\n\");\n#else\n  if (*x > 0.) {\n#endif\n"
    "    return twice(*x) < 'a'; /* here */\n  }\n  return 0;\n}\n"
    "int after;\n";

std::vector<CFunction> functions(const std::string& text) { return CSource(text).functions("f"); }

}  // namespace

TEST(CSource, FindsTheDefinitionAlone) {
  const CSource source{kHit};
  const auto found = source.functions("hit_");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].line, 17);
  EXPECT_EQ(source.tokens()[found[0].begin].text, "int");
  EXPECT_EQ(source.tokens()[found[0].end - 1].text, "}");
  EXPECT_EQ(source.tokens()[found[0].end].text, "int");
  EXPECT_EQ(source.tokens()[found[0].end + 1].text, "after");
  EXPECT_EQ(source.parameter_count(found[0]), 2);
  EXPECT_TRUE(source.functions("missing").empty());
  EXPECT_TRUE(source.functions("what").empty());
}

TEST(CSource, HeadsOfAllKinds) {
  const auto count = [](const std::string& text) {
    const CSource source(text);
    const auto found = source.functions("f");
    return found.size() == 1 ? source.parameter_count(found[0]) : -static_cast<int>(found.size()) - 1;
  };
  EXPECT_EQ(count("void f(void)\n{\n}\n"), 0);
  EXPECT_EQ(count("void f() { }"), 0);
  EXPECT_EQ(count("int f(a, b)\nint a;\ndouble b[3];\n{ return a; }"), 2);
  EXPECT_EQ(count("int f(int (*g)(int, int), double h) { return 1; }"), 2);
  EXPECT_EQ(count("int f(int a) __attribute__((noinline)) { return a; }"), 1);
  EXPECT_EQ(count("#if A\nint f(int a) {\n#else\nint f(int a, int b) {\n#endif\n  return a; }\n"), -3);
  // No definitions: prototypes, calls, a variable, a member, an argument.
  for (const std::string text :
       {"int f(int a); struct s { int b; };", "int f(a) __attribute__((pure)); int g(void) { return 1; }",
        "int g(void) { f(1); { } return 0; }", "int (*f)(int) = 0; void g(void) { }",
        "struct s { int f; }; int g(int f) { return f; }", "int h = f(1); void g(void) { }"})
    EXPECT_TRUE(functions(text).empty()) << text;
}

TEST(CSource, FirstLineWithAName) {
  EXPECT_EQ(CSource(kHit).first_line_with({"hit_"}), 5);
  EXPECT_EQ(CSource("int a;\n#if A\n# if B\nint hit_();\n# endif\n#endif\n").first_line_with({"hit_"}), 1)
      << "before the outermost conditional around it";
  EXPECT_EQ(CSource("int a;\n/* two\nlines */ int hit_();\n").first_line_with({"hit_"}), 1);
  EXPECT_EQ(CSource("int a; \\\nint hit_();\n").first_line_with({"hit_"}), 0);
  EXPECT_EQ(CSource("#define hit_ x\n/* hit_ */ \"hit_\";\n").first_line_with({"hit_"}), -1);
}
