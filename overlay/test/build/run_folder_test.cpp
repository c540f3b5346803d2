#include <gtest/gtest.h>

#include <fstream>

#include "overlay/build/build.hpp"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

using namespace overlay;
namespace fs = std::filesystem;

namespace {

BuildSet with_tables(const support::TemporaryFolder& tree) {
  BuildSet set;
  set.programs["stock"] = {};
  set.data_files["NUCNUCCS"] = tree.write("run/NUCNUCCS", "1");
  tree.write("epos/epos.inics.lhc", "table");
  set.folders_beside["epos"] = tree.path() / "epos";
  return set;
}

}  // namespace

TEST(RunFolder, TablesThatCardsNameBesideItAreThoseOfAllRunsThere) {
  support::TemporaryFolder tree, runs;
  const auto set = with_tables(tree);
  const auto first = prepare_run_dir(set, "stock", "EXIT\n", runs.path() / "gamma/stock-1");
  EXPECT_TRUE(fs::is_symlink(first / "NUCNUCCS") && fs::is_regular_file(first / "card"));
  EXPECT_TRUE(fs::is_regular_file(first / "../epos/epos.inics.lhc"));
  std::ofstream(first / "../epos/epos.inirj.lhc") << "made by the first run, in hours";
  fs::remove(first / "../epos/epos.inics.lhc");
  const auto second = prepare_run_dir(set, "stock", "EXIT\n", runs.path() / "gamma/stock-2");
  EXPECT_EQ(runs.read("gamma/epos/epos.inirj.lhc"), "made by the first run, in hours");
  EXPECT_TRUE(fs::is_regular_file(second / "../epos/epos.inics.lhc"));
  EXPECT_FALSE(fs::exists(tree.path() / "epos/epos.inirj.lhc")) << "the tree was written to";
}

TEST(RunFolder, AUsersFoldersBesideItStay) {
  support::TemporaryFolder tree, runs;
  const auto mine = runs.write("epos/my-table", "mine");
  EXPECT_THROW(prepare_run_dir(with_tables(tree), "stock", "EXIT\n", runs.path() / "stock-1"),
               support::Error);
  EXPECT_TRUE(fs::exists(mine));
  support::TemporaryFolder elsewhere, linked;
  elsewhere.write("my-table", "mine");
  fs::create_directory_symlink(elsewhere.path(), linked.path() / "epos");
  EXPECT_THROW(prepare_run_dir(with_tables(tree), "stock", "EXIT\n", linked.path() / "stock-1"),
               support::Error);
  EXPECT_TRUE(fs::exists(elsewhere.path() / "my-table"));
}

TEST(RunFolder, IsFresh) {
  support::TemporaryFolder tree, runs;
  const auto set = with_tables(tree);
  prepare_run_dir(set, "stock", "EXIT\n", runs.path() / "stock-1");
  EXPECT_THROW(prepare_run_dir(set, "stock", "EXIT\n", runs.path() / "stock-1"), support::Error);
  EXPECT_THROW(prepare_run_dir(set, "patched", "EXIT\n", runs.path() / "patched-1"), support::Error);
}
