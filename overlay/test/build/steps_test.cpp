// Steps of a build: what of a user's is kept.
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

TEST(StepSettings, HoldAnyBytes) {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  const nlohmann::json settings{
      {"source", "/data/caf\xe9"}, {"environment", {{"LIBS", all}}}, {"options", {"caf\xc3\xa9", "IACT"}}};
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
