// A sample tree and the program corsika-patch on it: what the tests of patching share.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "corsika_patches/patch.h"
#include "sample_tree.h"
#include "support/temporary_folder.hpp"

namespace sample {

/// The text of a file with the patch in it; the tree's where it is not patched.
inline std::string patched(const corsika_patches::PatchOptions& options, const std::string& name) {
  const auto result = corsika_patches::plan_patch(options);
  const auto found = std::find_if(result.files.begin(), result.files.end(),
                                  [&](const auto& file) { return file.path == name; });
  return found == result.files.end() ? read(options.tree / name) : found->text;
}

class PatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write_tree(tree_);
    options_.tree = tree_;
    options_.rules = {rules(folder_.path())};
    arguments_ = " --tree " + tree_.string() + " --rules " + options_.rules[0].string();
  }
  std::string patched() const { return sample::patched(options_, "src/corsika.F"); }
  sample::Run program(const std::string& what, const std::string& more = "",
                      const std::string& before = "") const {
    return sample::run(before + " " CORSIKA_PATCH_PROGRAM " " + what + arguments_ + " " + more);
  }
  /// apply --out, which is refused in one line that has `says`, and leaves nothing.
  void expect_refused(const std::string& says, const std::string& more = "",
                      const std::string& before = "") const {
    const auto stock = read(tree_ / "src/corsika.F");
    const auto run = program("apply", "--out " + out_.string() + " " + more, before);
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.err.find("corsika-patch: error: "), 0U) << run.err;
    EXPECT_NE(run.err.find(says), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
    EXPECT_FALSE(std::filesystem::exists(out_));
    EXPECT_EQ(read(tree_ / "src/corsika.F"), stock);
    expect_nothing_left();
  }
  void expect_nothing_left() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      EXPECT_EQ(entry.path().filename().string().find("corsika-patch"), std::string::npos) << entry.path();
  }

  const support::TemporaryFolder folder_{"patches-test"};
  const std::filesystem::path tree_ = folder_.path() / "tree", out_ = folder_.path() / "out";
  corsika_patches::PatchOptions options_;
  std::string arguments_;
};

}  // namespace sample
