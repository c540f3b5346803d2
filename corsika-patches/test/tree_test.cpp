// What is read of a whole tree: its release, and digests of its sources.
#include "corsika-patches/tree.h"

#include "fixtures.h"

using namespace corsika_patches;

namespace {

TEST(Release, IsFoundInAnyOfThreeFiles) {
  for (const auto& [file, text, release] : {
           std::tuple{"configure.ac", "AC_PREREQ(2.50)\nAC_INIT(corsika,77410)\n", "7.7410"},
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
    if (error_of([&] { found = read_release(folder.path()); }) != "") found = "refused";
    EXPECT_EQ(found, release) << text;
  }
}

std::string fortran(const std::string& text) { return significant_text(text, SourceKind::fortran); }

TEST(SourceDigest, CommentsAndBlanksOfFortranDoNotCount) {
  const std::string plain = "      A = B\n     *   + D\n";
  EXPECT_EQ(fortran("C  words\n      A  =   B  ! more\n\n* words\n     *  + D  \r\n"),
            plain.substr(0, 12) + "     * + D\n");
  EXPECT_EQ(fortran(plain), fortran("      A = B\nC  within\n     * + D\n"));
  EXPECT_EQ(fortran("      ! alone\n      A = B\n"), "      A = B\n");
  EXPECT_EQ(fortran("  10\nEND\n"), "  10\nEND\n") << "lines that end before column 7";
}

TEST(SourceDigest, AllElseOfFortranCounts) {
  for (const auto& [a, b] : sample::Swaps{
           {"      A = B\n", "      A = b\n"},
           {"      A = BC\n", "      A = B C\n"},
           {" 10   A = B\n", " 20   A = B\n"},
           {"      A = 'B  C'\n", "      A = 'B C'\n"},
           {"      A = 'B\n     *  ! C'\n", "      A = 'B\n     *  ! D'\n"},
           {"      A = 'B\n     *  C'\n", "      A = 'B\n     * C'\n"},
           {"      A = B\n     !+ 1\n", "      A = B\n     !+ 2\n"},
           {"#if X\n      A = B\n#endif\n", "#if Y\n      A = B\n#endif\n"},
           {"#define X \\\nC 1\n", "#define X \\\nC 2\n"},
           {"C /*\n      A = B\n", "      A = B\n"},
           {"!GCC$ ATTRIBUTES X\n", "!GCC$ ATTRIBUTES Y\n"},
           // What a blank more or less moves over column 72, where a line ends.
           {"      A = B" + std::string(61, ' ') + "+ 1\n", "      A = B + 1\n"},
       })
    EXPECT_NE(fortran(a), fortran(b)) << a << b;
}

TEST(SourceDigest, OfCTheTokensCount) {
  const auto c = [](const std::string& text) { return significant_text(text, SourceKind::c); };
  EXPECT_EQ(c("int a; /* words */ // more\n"), c("int   a;\n\n"));
  for (const auto& [a, b] : sample::Swaps{{"char *a = \"b  c\";", "char *a = \"b c\";"},
                                          {"char *a = \"/* b */\";", "char *a = \"\";"},
                                          {"a = b - -d;", "a = b--d;"},
                                          {"#define A(b) b\n", "#define A (b) b\n"},
                                          {"int a;", "int A;"}})
    EXPECT_NE(c(a), c(b)) << a;
}

TEST(SourceDigest, OfATreeAllThatABuildMayCompile) {
  const support::TemporaryFolder folder("source-digest-test");
  for (const auto* name : {"src/a.F", "src/part.f", "src/acompilefile.f", "src/utils/tool.f", "include/a.h",
                           "include/config.h", "notes.txt"})
    folder.write(name, "int a;\n");
  const auto state =
      sample::rule("header = 'src/a.h'; left_alone = ['src/utils']; build_products = ['compilefile.f']");
  std::string names;
  for (const auto& [name, digest] : source_digests(folder.path(), state)) names += name + " ";
  EXPECT_EQ(names, "include/a.h src/a.F src/part.f ");
}

}  // namespace
