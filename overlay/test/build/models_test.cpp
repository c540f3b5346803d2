#include "overlay/build/models.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/process.hpp"
#include "support/temporary_folder.hpp"

using namespace overlay;

TEST(Models, ADataFileIsNotAPointerToOne) {
  support::TemporaryFolder folder;
  EXPECT_TRUE(is_data_file(folder.write("a", "1 2 3\n")));
  EXPECT_FALSE(is_data_file(folder.write("b", "version https://git-lfs.github.com/spec/v1\n")));
  // The same with what may stand before it, of older versions, and of git-annex.
  const std::string rest =
      "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
  EXPECT_FALSE(
      is_data_file(folder.write("b1", "\xef\xbb\xbfversion https://git-lfs.github.com/spec/v1\r\n" + rest)));
  EXPECT_FALSE(is_data_file(folder.write("b2", "version https://hawser.github.com/spec/v1\n" + rest)));
  EXPECT_FALSE(is_data_file(folder.write("b3", "version http://git-media.io/v/2\n" + rest)));
  EXPECT_FALSE(is_data_file(folder.write("b4", "/annex/objects/SHA256E-s12--ab.dat\n")));
  EXPECT_TRUE(is_data_file(folder.write("b5", "version 3 of this table\n 1. 2. 3.\n")));
  EXPECT_FALSE(is_data_file(folder.write("c", "")));
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

TEST(Models, TheTablesOfQgsjetIIIAreFoundAndLinked) {
  const auto models = OptionNeeds::load();
  support::TemporaryFolder tree;
  EXPECT_NE(
      support::join(missing_parts(models, tree.path(), {"QGSJETIII"})).find("run/qgsdat-III (QGSJETIII"),
      std::string::npos);
  for (const char* table : {"qgsdat-III", "sectnu-III"}) {
    tree.write(std::string("run/") + table, "1");
    EXPECT_TRUE(std::any_of(models.run_folder.begin(), models.run_folder.end(),
                            [&](const std::string& wildcard) { return matches(table, wildcard); }))
        << table;
  }
  EXPECT_EQ(support::join(missing_parts(models, tree.path(), {"QGSJETIII"})).find("III"), std::string::npos);
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

TEST(Models, APointerIsNoAtmosphere) {
  support::TemporaryFolder tree, own;
  own.write("atmprof6.dat", "version https://hawser.github.com/spec/v1\noid sha256:00\nsize 9\n");
  EXPECT_TRUE(find_atmosphere(6, tree.path(), own.path()).empty());
  tree.write("run/atmprof6.dat", "1 2 3");
  EXPECT_EQ(find_atmosphere(6, tree.path(), own.path()), tree.path() / "run" / "atmprof6.dat");
}

TEST(Models, AtmosphereOfTheUserComesFirst) {
  support::TemporaryFolder tree, own;
  tree.write("run/atmprof6.dat", "theirs");
  const auto mine = own.write("atmprof6.dat", "mine");
  EXPECT_EQ(find_atmosphere(6, tree.path(), own.path()), mine);
  EXPECT_EQ(find_atmosphere(6, tree.path(), {}), tree.path() / "run" / "atmprof6.dat");
  EXPECT_TRUE(find_atmosphere(7, tree.path(), own.path()).empty());
}
