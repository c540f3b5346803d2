// Steps of a build: what of a user's is kept.
#include "overlay/build/steps.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "error_of.hpp"
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
  const fs::path build = folder.path() / "build";
};

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

TEST(StepSettings, AreReadAsTheyWereWritten) {
  const support::TemporaryFolder folder;
  const nlohmann::json settings{{"source", "/data/caf\xc3\xa9"}, {"environment", {{"LIBS", "-lm"}}}};
  write_settings(folder.path(), settings);
  EXPECT_EQ(read_settings(folder.path()), settings);
  EXPECT_NE(error_of([&] {
              write_settings(folder.path(), {{"source", "/data/caf\xe9"}});
            }).find("no UTF-8"),
            std::string::npos);
}

TEST_F(StepsTest, OfABuildAloneNothingIsKept) {
  make_build();
  EXPECT_EQ(keep_foreign_files(build), fs::path());
  EXPECT_EQ(keep_foreign_files(folder.path() / "none"), fs::path());
}

}  // namespace
}  // namespace overlay
