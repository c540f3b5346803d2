#include "overlay/build/models.hpp"

#include <gtest/gtest.h>

#include "support/process.hpp"
#include "support/temporary_folder.hpp"

using namespace overlay;

TEST(Models, ADataFileIsNotAPointerToOne) {
  support::TemporaryFolder folder;
  for (const char* data : {"1 2 3\n", "version 3 of this table\n 1. 2. 3.\n"})
    EXPECT_TRUE(is_data_file(folder.write("a", data))) << data;
  for (const char* pointer : {"", "version https://git-lfs.github.com/spec/v1\n",
                              "\xef\xbb\xbfversion https://git-lfs.github.com/spec/v1\r\noid sha256:4d\n",
                              "version http://git-media.io/v/2\n", "/annex/objects/SHA256E-s12--ab.dat\n"})
    EXPECT_FALSE(is_data_file(folder.write("b", pointer))) << pointer;
  EXPECT_FALSE(is_data_file(folder.path() / "d"));
}

TEST(Models, FirstAlternativeWhoseTablesAreThere) {
  const auto models = OptionNeeds::load();
  support::TemporaryFolder tree;
  std::vector<std::string> notes;
  EXPECT_EQ(resolve_alternatives(models, tree.path(), {"QGSJETII|QGSJET01", "URQMD"}, notes),
            (std::vector<std::string>{"QGSJET01", "URQMD"}));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("QGSJET01 stands in for QGSJETII"), std::string::npos);
  tree.write("run/qgsdat-II-04", "1");
  tree.write("run/sectnu-II-04", "1");
  notes.clear();
  EXPECT_EQ(resolve_alternatives(models, tree.path(), {"QGSJETII|QGSJET01"}, notes),
            (std::vector<std::string>{"QGSJETII"}));
}

TEST(Models, MissingPartsAreNamed) {
  const auto models = OptionNeeds::load();
  support::TemporaryFolder tree;
  const auto missing = support::join(missing_parts(models, tree.path(), {"CEFFIC", "IACT"}), "; ");
  for (const char* part : {"NUCNUCCS", "quanteff.dat (CEFFIC", "bernlohr/ (IACT"})
    EXPECT_NE(missing.find(part), std::string::npos) << part;
}

TEST(Models, PointersInAPackageAreMissing) {
  const auto models = OptionNeeds::load();
  support::TemporaryFolder tree;
  tree.write("epos/epos.f", "      END\n");
  EXPECT_EQ(support::join(missing_parts(models, tree.path(), {"EPOS"})).find("epos"), std::string::npos);
  tree.write("epos/epos.inics", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n");
  EXPECT_NE(support::join(missing_parts(models, tree.path(), {"EPOS"})).find("epos/epos.inics"),
            std::string::npos);
}

TEST(Models, AtmosphereOfTheUserComesFirst) {
  support::TemporaryFolder tree, own;
  tree.write("run/atmprof6.dat", "theirs");
  const auto mine = own.write("atmprof6.dat", "mine");
  EXPECT_EQ(find_atmosphere(6, tree.path(), own.path()), mine);
  EXPECT_EQ(find_atmosphere(6, tree.path(), {}), tree.path() / "run" / "atmprof6.dat");
  EXPECT_TRUE(find_atmosphere(7, tree.path(), own.path()).empty());
}
