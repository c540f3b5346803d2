// Steps of a build: what copying a tree leaves alone, and what of a user's is kept.
#include "overlay/build/steps.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/temporary_folder.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

class StepsTest : public ::testing::Test {
 protected:
  void make_build() {
    folder.write("build/tree/run/NUCNUCCS", "table");
    folder.write("build/tree/run/corsika77410Linux", "program");
    list_run_folder(build);
  }
  support::TemporaryFolder folder;
  const fs::path build = folder.path() / "build", source = folder.path() / "source";
};

TEST_F(StepsTest, AFolderBehindALinkIsCopiedAndNotWrittenTo) {
  folder.write("elsewhere/corsika77410Linux", "a user's program");
  folder.write("elsewhere/deep/table", "a table");
  folder.write("source/configure", "#!/bin/sh");
  fs::create_directory_symlink("../elsewhere", source / "run");
  fs::create_directory(source / "inner");
  fs::create_directory_symlink("inner", source / "same");
  copy_tree(source, folder.path() / "copy");
  EXPECT_FALSE(fs::is_symlink(folder.path() / "copy/run"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "copy/same")) << "links within the tree stay links";
  EXPECT_EQ(folder.read("copy/run/deep/table"), "a table");
  fs::remove(folder.path() / "copy/run/corsika77410Linux");
  EXPECT_EQ(folder.read("elsewhere/corsika77410Linux"), "a user's program");
}

TEST_F(StepsTest, FoldersThatLinkToEachOtherAreRefused) {
  folder.write("one/file", "1");
  folder.write("two/file", "2");
  fs::create_directory_symlink(folder.path() / "two", folder.path() / "one/two");
  fs::create_directory_symlink(folder.path() / "one", folder.path() / "two/one");
  EXPECT_ANY_THROW(copy_tree(folder.path() / "one", folder.path() / "copy"));
  EXPECT_FALSE(fs::exists(folder.path() / "copy"));
  EXPECT_FALSE(fs::exists(folder.path() / "copy.part"));
}

TEST_F(StepsTest, OutputsOfRunsInABuildAreKept) {
  make_build();
  folder.write("build/tree/run/DAT000001", "a night of showers");
  folder.write("build/tree/run/mine/DAT000002", "more");
  folder.write("build/tree/run/corsika-of-mine", "\177ELF a user's program", true);
  const auto kept = keep_foreign_files(build);
  EXPECT_EQ(kept.parent_path(), build);
  EXPECT_TRUE(fs::is_regular_file(kept / "DAT000001"));
  EXPECT_TRUE(fs::is_regular_file(kept / "mine/DAT000002"));
  EXPECT_TRUE(fs::is_regular_file(kept / "corsika-of-mine"));
  EXPECT_FALSE(fs::exists(build / "tree/run/DAT000001"));
  EXPECT_TRUE(fs::exists(build / "tree/run/NUCNUCCS"));
  EXPECT_TRUE(fs::exists(build / "tree/run/corsika77410Linux"));
}

TEST(StepSettings, HoldAnyBytes) {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  const nlohmann::json settings{{"source", "/data/caf\xe9"},
                                {"environment", {{"LIBS", all}}},
                                {"options", {"caf\xc3\xa9", "IACT"}},
                                {"jobs", 2}};
  const auto text = settings_text(settings);
  EXPECT_TRUE(nlohmann::json::accept(text));
  EXPECT_EQ(settings_in(text), settings);
}

TEST_F(StepsTest, OfABuildAloneNothingIsKept) {
  make_build();
  EXPECT_EQ(keep_foreign_files(build), fs::path());
  EXPECT_EQ(keep_foreign_files(folder.path() / "none"), fs::path());
}

}  // namespace
}  // namespace overlay
