// Folders of builds and runs, and copies of trees: what is made, and what of a user's is kept.
#include <cstdlib>
#include <sstream>

#include "folder_test.hpp"
#include "overlay/build/source.hpp"
#include "overlay/build/toolchain.hpp"
#include "support/checksum.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

TEST(StepSettings, AreUtf8) {
  support::TemporaryFolder folder;
  EXPECT_ERROR("no UTF-8", write_settings(folder.path(), {{"source", "/data/caf\xe9"}}));
}

BuildSet with_tables(const support::TemporaryFolder& tree) {
  BuildSet set;
  set.programs["stock"] = "";
  set.data_files["NUCNUCCS"] = tree.write("run/NUCNUCCS", "1");
  tree.write("epos/epos.inics.lhc", "table");
  set.folders_beside["epos"] = tree.path() / "epos";
  return set;
}

TEST(RunFolder, TablesThatCardsNameBesideItAreThoseOfAllRunsThere) {
  support::TemporaryFolder tree, runs;
  const auto set = with_tables(tree);
  const auto first = prepare_run_dir(set, "EXIT\n", runs.path() / "gamma/stock-1");
  EXPECT_TRUE(fs::is_symlink(first / "NUCNUCCS") && fs::is_regular_file(first / "card"));
  EXPECT_TRUE(fs::is_regular_file(first / "../epos/epos.inics.lhc"));
  runs.write("gamma/epos/epos.inirj.lhc", "made by the first run, in hours");
  fs::remove(first / "../epos/epos.inics.lhc");
  const auto second = prepare_run_dir(set, "EXIT\n", runs.path() / "gamma/stock-2");
  EXPECT_EQ(runs.read("gamma/epos/epos.inirj.lhc"), "made by the first run, in hours");
  EXPECT_TRUE(fs::is_regular_file(second / "../epos/epos.inics.lhc"));
  EXPECT_FALSE(fs::exists(tree.path() / "epos/epos.inirj.lhc")) << "the tree was written to";
}

TEST(RunFolder, AUsersFoldersBesideItStayAndOneThatCannotBeMadeIsNamed) {
  support::TemporaryFolder tree, runs, linked;
  const auto mine = runs.write("epos/my-table", "mine");
  fs::create_directory_symlink(runs.path() / "epos", linked.path() / "epos");
  for (const auto* beside : {&runs, &linked})
    EXPECT_ERROR("is there and not ours",
                 prepare_run_dir(with_tables(tree), "EXIT\n", beside->path() / "stock-1"));
  EXPECT_TRUE(fs::exists(mine));
  EXPECT_ERROR("NUCNUCCS",
               prepare_run_dir(with_tables(tree), "DIRECT NUCNUCCS/\n", runs.path() / "other/run"));
  auto deep = runs.path();
  while (deep.string().size() < 3800) deep /= std::string(100, 'd');
  tree.write("epos/" + std::string(250, 't'), "table");  // whose link would have too long a path
  EXPECT_ERROR("/epos/ttt", prepare_run_dir(with_tables(tree), "EXIT\n", deep / "run"));
}

struct TreeCopy : FolderTest {
  const fs::path source = folder.path() / "source", copy = folder.path() / "copy";
};

TEST_F(TreeCopy, AFolderBehindALinkIsCopiedAndNotWrittenToAndLinksInARingAreRefused) {
  folder.write("elsewhere/corsika77410Linux", "a user's program");
  folder.write("elsewhere/deep/table", "a table");
  folder.write("source/configure", "#!/bin/sh");
  fs::create_directory_symlink("../elsewhere", source / "run");
  fs::create_directory(source / "inner");
  fs::create_directory_symlink("inner", source / "same");
  copy_sources(source, copy);
  EXPECT_FALSE(fs::is_symlink(copy / "run"));
  EXPECT_TRUE(fs::is_symlink(copy / "same")) << "links within the tree stay links";
  EXPECT_EQ(folder.read("copy/run/deep/table"), "a table");
  fs::remove(copy / "run/corsika77410Linux");
  EXPECT_EQ(folder.read("elsewhere/corsika77410Linux"), "a user's program");
  fs::create_directory_symlink(source, folder.path() / "elsewhere/back");
  EXPECT_ANY_THROW(copy_sources(source, copy));
}

TEST_F(TreeCopy, OfAFolderThatWasConfiguredAndBuiltInTheSourcesAlone) {
  std::istringstream sources(
      "Makefile.am Makefile.in configure bernlohr/iact.c bernlohr/Makefile.am src/corsika.F src/Makefile.in "
      "run/NUCNUCCS run/corsika-notes run/DATABASE include/config.h.in own/Makefile own/vendor.a "
      "lib/Makefile.am src/config.h");
  for (std::string name; sources >> name;) folder.write("source/" + name, name);
  const auto sum = sha256_of_sources(source);
  EXPECT_EQ(sum, support::sha256_of_tree(source)) << "of sources alone it is the checksum of all files";
  std::istringstream made(
      "Makefile src/Makefile config.status config.log libtool include/config.h include/stamp-h1 "
      "src/corsikacompilefile.f src/corsika74005Linux_compilefile.f src/corsika.o src/.deps/x.Po "
      "bernlohr/libiact.a bernlohr/iact.lo lib/unknown/libiact.a run/DAT000001 run/DAT000001.long "
      "run/CER000012 .git/HEAD conex/.git autom4te.cache/requests");
  for (std::string name; made >> name;) folder.write("source/" + name, "made");
  folder.write("source/run/corsika77410Linux_QGSII_urqmd", "\177ELF program", true);
  const auto all = support::sha256_of_tree(source);
  copy_sources(source, copy);
  EXPECT_EQ(sha256_of_sources(source), sum);
  EXPECT_EQ(support::sha256_of_tree(copy), sum);
  EXPECT_EQ(support::sha256_of_tree(source), all) << "the folder itself stays as it is";
}

TEST_F(TreeCopy, ACheckoutWithoutConfigureGetsOneInTheCopyAndMissingAutotoolsAreNamed) {
  folder.write("source/configure.ac",
               "AC_INIT([corsika],[78010])\nAC_CONFIG_AUX_DIR(config)\n"
               "AC_CONFIG_HEADERS(include/config.h)\n"
               "AM_INIT_AUTOMAKE([foreign])\n"
               "AC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n");
  folder.write("source/Makefile.am", "EXTRA_DIST = coconut\n");
  folder.write("source/config/mkinstalldirs", "");
  EXPECT_TRUE(lacks_configure(source));
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder.path().c_str(), 1);
  const auto error = error_of([&] { check_autotools(source); });
  setenv("PATH", path.c_str(), 1);
  EXPECT_PRED2(holds, error,
               "has no configure, and autoreconf, automake, libtoolize to make it are missing; install");
  if (!support::find_program("autoreconf") || !support::find_program("automake"))
    GTEST_SKIP() << "SKIPPED: autoconf and automake are not installed";
  EXPECT_NO_THROW(check_autotools(source));
  copy_sources(source, copy);
  make_configure(copy, folder.path() / "log");
  EXPECT_FALSE(lacks_configure(copy));
  EXPECT_PRED2(holds, folder.read("copy/configure"), "PACKAGE_VERSION='78010'");
  EXPECT_TRUE(fs::exists(copy / "include/config.h.in"));
  EXPECT_TRUE(lacks_configure(source)) << "the user's folder stays";
}

}  // namespace
}  // namespace overlay
