// What is read of a whole tree: its release, and digests of its sources.
#include "corsika-patches/tree.h"

#include <gtest/gtest.h>

#include "sample_tree.h"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

using namespace corsika_patches;

namespace {

TEST(Release, IsFoundInAnyOfThreeFiles) {
  struct Case {
    const char *file, *text, *release;
  };
  for (const auto& [file, text, release] : {
           Case{"configure.ac", "AC_PREREQ(2.50)\nAC_INIT(corsika,77410)\n", "7.7410"},
           {"configure.ac", "AC_INIT( [corsika] , [7.750] , [mail])\n", "7.750"},
           {"configure.ac", "ac_init(CORSIKA,\n 74000)", "7.4000"},
           {"configure.ac", "AC_INIT(corsika,6.990)\n", "refused"},
           {"configure.ac", "AC_INIT(corsika,79000)\n", "refused"},
           {"configure.ac", "AC_INIT(conex,77410)", ""},
           {"configure.ac", "AC_INIT(corsika,774100)", ""},
           {"configure.ac", "AC_INIT(corsika,77a)", ""},
           {"configure.ac", "AC_INIT(corsika,7", ""},
           {"VERSION", "CORSIKA 7.7410 of June\n", "7.7410"},
           {"VERSION", "corsika-76900\n", "7.6900"},
           {"VERSION", "12.7410 1774100 standin\n", ""},
           {"src/corsika.F", "C\n# define __CVERSION__  7.500\n", "7.500"},
           {"src/corsika.F", "#define __CVERSION__ 75000\n#define\n#", ""},
           {"other", "7.7410", ""},
       }) {
    const support::TemporaryFolder folder("corsika-patches-test");
    folder.write(file, text);
    std::string found;
    try {
      found = read_release(folder.path());
    } catch (const support::Error&) {
      found = "refused";
    }
    EXPECT_EQ(found, release) << text;
  }
}

std::string fortran(const std::string& text) { return significant_text(text, SourceKind::fortran); }
std::string c(const std::string& text) { return significant_text(text, SourceKind::c); }

TEST(SourceDigest, CommentsAndBlanksOfFortranDoNotCount) {
  const std::string plain = "      A = B\n     *   + D\n";
  EXPECT_EQ(fortran("C  words\n      A  =   B  ! more\n\n* words\n     *  + D  \r\n"),
            plain.substr(0, 12) + "     * + D\n");
  EXPECT_EQ(fortran(plain), fortran("      A = B\nC  within\n     * + D\n"));
  EXPECT_EQ(fortran("      ! alone\n      A = B\n"), "      A = B\n");
  EXPECT_EQ(fortran("  10\nEND\n"), "  10\nEND\n") << "lines that end before column 7";
}

TEST(SourceDigest, AllElseOfFortranCounts) {
  const auto differ = [](const std::string& a, const std::string& b) {
    EXPECT_NE(fortran(a), fortran(b)) << a << b;
  };
  differ("      A = B\n", "      A = b\n");
  differ("      A = BC\n", "      A = B C\n");
  differ(" 10   A = B\n", " 20   A = B\n");
  differ("      A = 'B  C'\n", "      A = 'B C'\n");
  differ("      A = 'B\n     *  ! C'\n", "      A = 'B\n     *  ! D'\n");
  differ("      A = 'B\n     *  C'\n", "      A = 'B\n     * C'\n");
  differ("      A = B\n     !+ 1\n", "      A = B\n     !+ 2\n");
  differ("#if X\n      A = B\n#endif\n", "#if Y\n      A = B\n#endif\n");
  differ("#define X \\\nC 1\n", "#define X \\\nC 2\n");
  differ("C /*\n      A = B\n", "      A = B\n");
  differ("!GCC$ ATTRIBUTES X\n", "!GCC$ ATTRIBUTES Y\n");
  // What a blank more or less moves over column 72, where a line ends.
  differ("      A = B" + std::string(61, ' ') + "+ 1\n", "      A = B + 1\n");
}

TEST(SourceDigest, OfCTheTokensCount) {
  EXPECT_EQ(c("int a; /* words */ // more\n"), c("int   a;\n\n"));
  EXPECT_NE(c("char *a = \"b  c\";"), c("char *a = \"b c\";"));
  EXPECT_NE(c("char *a = \"/* b */\";"), c("char *a = \"\";"));
  EXPECT_NE(c("a = b - -d;"), c("a = b--d;"));
  EXPECT_NE(c("#define A(b) b\n"), c("#define A (b) b\n"));
  EXPECT_NE(c("int a;"), c("int A;"));
}

TEST(SourceDigest, OfATreeAllThatABuildMayCompile) {
  const support::TemporaryFolder folder("source-digest-test");
  folder.write("src/a.F", "      A = 1\n");
  folder.write("src/part.f", "      A = 1\n");
  folder.write("src/acompilefile.f", "      A = 1\n");
  folder.write("src/utils/tool.f", "      A = 1\n");
  folder.write("include/a.h", "int a; \n");
  folder.write("include/config.h", "int a;\n");
  folder.write("notes.txt", "words\n");
  const auto state =
      sample::rule("header = 'src/a.h'; left_alone = ['src/utils']; build_products = ['compilefile.f']");
  const auto digests = source_digests(folder.path(), state);
  ASSERT_EQ(digests.size(), 3U);
  EXPECT_EQ(digests[0].first, "include/a.h");
  EXPECT_EQ(digests[1].first, "src/a.F");
  EXPECT_EQ(digests[2].first, "src/part.f");
}

}  // namespace
