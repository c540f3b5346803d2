// A sample tree and the program corsika-patch on it: what the tests of patching share.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "corsika_patches/patch.h"
#include "sample_tree.h"
#include "support/temporary_folder.hpp"

namespace sample {

class PatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write_tree(tree_);
    options_.tree = tree_;
    options_.rules = {rules(folder_.path())};
    command_ = std::string(CORSIKA_PATCH_PROGRAM);
    arguments_ = " --tree " + tree_.string() + " --rules " + options_.rules[0].string();
  }
  std::string source() const { return read(tree_ / "src/corsika.F"); }
  sample::Run program(const std::string& what, const std::string& before = "", const std::string& after = "") const {
    return sample::run(before + " " + command_ + " " + what + arguments_ + " " + after);
  }
  std::vector<std::string> words(const std::string& what) const {
    return {command_, what, "--tree", tree_.string(), "--rules", options_.rules[0].string()};
  }
  /// The tree with this text and without anything that a dead patcher left.
  void restore(const std::string& text) const {
    std::vector<std::filesystem::path> left;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree_))
      if (entry.path().filename().string().find("corsika-patch") != std::string::npos)
        left.push_back(entry.path());
    for (const auto& path : left) std::filesystem::remove(path);
    write(tree_ / "src/corsika.F", text);
  }
  /// Nothing but the stock files in the tree.
  void expect_stock() const {
    EXPECT_EQ(source(), main_source());
    expect_nothing_left();
  }
  void expect_nothing_left() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree_))
      EXPECT_EQ(entry.path().filename().string().find("corsika-patch"), std::string::npos) << entry.path();
  }

  const support::TemporaryFolder folder_{"corsika-patches-test"};
  std::filesystem::path tree_ = folder_.path() / "tree";
  corsika_patches::PatchOptions options_;
  std::string command_, arguments_;
};

}  // namespace sample
