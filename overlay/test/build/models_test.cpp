#include "overlay/build/models.hpp"

#include <gtest/gtest.h>

#include "support/process.hpp"
#include "support/temporary_folder.hpp"

using namespace overlay;

TEST(Models, ADataFileIsNotAPointerToOne) {
  support::TemporaryFolder folder;
  EXPECT_TRUE(is_data_file(folder.write("a", "1 2 3\n")));
  EXPECT_FALSE(is_data_file(folder.write("b", "version https://git-lfs.github.com/spec/v1\n")));
  EXPECT_FALSE(is_data_file(folder.write("c", "")));
  EXPECT_FALSE(is_data_file(folder.path() / "d"));
}

TEST(Models, FirstAlternativeWhoseTablesAreThere) {
  const auto models = Models::load();
  support::TemporaryFolder tree;
  std::vector<std::string> notes;
  EXPECT_EQ(settle_options(models, tree.path(), {"QGSJETII|QGSJET01", "URQMD"}, notes),
            (std::vector<std::string>{"QGSJET01", "URQMD"}));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("QGSJET01 stands in for QGSJETII"), std::string::npos);
  tree.write("run/qgsdat-II-04", "1");
  tree.write("run/sectnu-II-04", "1");
  notes.clear();
  EXPECT_EQ(settle_options(models, tree.path(), {"QGSJETII|QGSJET01"}, notes),
            (std::vector<std::string>{"QGSJETII"}));
}

TEST(Models, MissingPartsAreNamed) {
  const auto models = Models::load();
  support::TemporaryFolder tree;
  const auto missing = support::join(missing_parts(models, tree.path(), {"CEFFIC", "IACT"}), "; ");
  for (const char* part : {"NUCNUCCS", "quanteff.dat (CEFFIC", "bernlohr/ (IACT"})
    EXPECT_NE(missing.find(part), std::string::npos) << part;
}

TEST(Models, AtmosphereOfTheUserComesFirst) {
  support::TemporaryFolder tree, own;
  tree.write("run/atmprof6.dat", "theirs");
  const auto mine = own.write("atmprof6.dat", "mine");
  EXPECT_EQ(find_atmosphere(6, tree.path(), own.path()), mine);
  EXPECT_EQ(find_atmosphere(6, tree.path(), {}), tree.path() / "run" / "atmprof6.dat");
  EXPECT_TRUE(find_atmosphere(7, tree.path(), own.path()).empty());
}
