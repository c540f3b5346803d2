#include "corsika_patches/file_transaction.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample_tree.h"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

using namespace corsika_patches;
namespace fs = std::filesystem;

namespace {

class Transaction : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(tree_ / "src");
    sample::write(tree_ / "src/a", "old a");
    sample::write(tree_ / "src/b", "old b");
  }
  std::string a() const { return sample::read(tree_ / "src/a"); }
  std::string b() const { return sample::read(tree_ / "src/b"); }
  /// Names that stand in the tree, without the folders.
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(tree_)) count += entry.is_directory() ? 0 : 1;
    return count;
  }
  template <typename Do>
  static std::string refusal(Do&& act) {
    try {
      act();
    } catch (const support::Error& error) {
      return error.what();
    }
    return "accepted";
  }

  const support::TemporaryFolder folder_{"corsika-patches-test"};
  const fs::path tree_ = fs::canonical(folder_.path()) / "tree";
};

TEST_F(Transaction, ReplacesAllAndLeavesNothing) {
  fs::permissions(tree_ / "src/a", fs::perms::owner_all);
  FileTransaction t(tree_);
  t.stage(tree_ / "src/a", "new a", "old a");
  t.stage(tree_ / "src/b", "new b", "old b");
  t.stage(tree_ / "src/c", "new c", std::nullopt);
  EXPECT_EQ(a(), "old a");
  t.commit();
  EXPECT_EQ(a() + b() + sample::read(tree_ / "src/c"), "new anew bnew c");
  EXPECT_EQ(fs::status(tree_ / "src/a").permissions(), fs::perms::owner_all);
  EXPECT_EQ(files(), 3U);
}

TEST_F(Transaction, AnyBytesInNames) {
  const std::string name = "src/\xff \n\"\\";
  sample::write(tree_ / name, "old");
  FileTransaction t(tree_);
  t.stage(tree_ / name, "new", "old");
  t.commit();
  EXPECT_EQ(sample::read(tree_ / name), "new");
}

TEST_F(Transaction, AFileThatWasChangedSinceIsRefused) {
  FileTransaction first(tree_);
  EXPECT_NE(refusal([&] { first.stage(tree_ / "src/a", "new a", "older a"); }), "accepted");
  FileTransaction second(tree_);
  second.stage(tree_ / "src/a", "new a", "old a");
  second.stage(tree_ / "src/b", "new b", "old b");
  sample::write(tree_ / "src/b", "mine");
  const auto message = refusal([&] { second.commit(); });
  EXPECT_NE(message.find("src/b was changed"), std::string::npos) << message;
  EXPECT_EQ(a() + b(), "old amine");
  FileTransaction third(tree_);
  third.stage(tree_ / "src/c", "new c", std::nullopt);
  sample::write(tree_ / "src/c", "mine");
  EXPECT_NE(refusal([&] { third.commit(); }), "accepted");
  EXPECT_EQ(sample::read(tree_ / "src/c"), "mine");
  EXPECT_EQ(files(), 3U);
}

TEST_F(Transaction, LinksAreNotFollowedOutOfTheTree) {
  sample::write(folder_.path() / "outside/a", "outside");
  fs::create_directory_symlink(folder_.path() / "outside", tree_ / "away");
  fs::create_directory_symlink(tree_ / "src", tree_ / "within");
  fs::create_symlink(folder_.path() / "outside/a", tree_ / "src/link");
  FileTransaction t(tree_);
  const auto away = refusal([&] { t.stage(tree_ / "away/a", "new", "outside"); });
  EXPECT_NE(away.find("out of the tree"), std::string::npos) << away;
  const auto link = refusal([&] { t.stage(tree_ / "src/link", "new", "outside"); });
  EXPECT_NE(link.find("symbolic link"), std::string::npos) << link;
  FileTransaction within(tree_);
  within.stage(tree_ / "within/a", "new a", "old a");
  within.commit();
  EXPECT_EQ(a(), "new a");
  EXPECT_EQ(sample::read(folder_.path() / "outside/a"), "outside");
}

TEST_F(Transaction, PipesAndFoldersAreRefused) {
  ASSERT_EQ(::mkfifo((tree_ / "pipe").c_str(), 0600), 0);
  FileTransaction t(tree_);
  EXPECT_NE(refusal([&] { t.stage(tree_ / "pipe", "new", std::nullopt); }), "accepted");
  EXPECT_NE(refusal([&] { t.stage(tree_ / "src", "new", std::nullopt); }), "accepted");
}

/// What a patcher leaves that was killed after the journal was turned to redo and one file was replaced.
Journal left_by_a_dead_one(const fs::path& tree) {
  Journal journal;
  journal.direction = Journal::Direction::redo;
  journal.token = "0123456789abcdef";
  for (const std::string name : {"a", "b"}) {
    const auto digest = [&](const std::string& text) {
      sample::write(tree / "digest", text);
      const auto out = OpenFolder(tree).digest("digest");
      fs::remove(tree / "digest");
      return out.value();
    };
    journal.files.push_back({"src/" + name, digest("old " + name), digest("new " + name)});
    sample::write(tree / journal.name_of_old("src/" + name), "old " + name);
  }
  sample::write(tree / "src/a", "new a");
  sample::write(tree / journal.name_of_new("src/b"), "new b");
  sample::write(tree / ".corsika-patch-journal", journal.text());
  return journal;
}

TEST_F(Transaction, RecoveryGoesOn) {
  left_by_a_dead_one(tree_);
  EXPECT_TRUE(FileTransaction::interrupted(tree_));
  EXPECT_TRUE(FileTransaction::recover(tree_));
  EXPECT_EQ(a() + b(), "new anew b");
  EXPECT_EQ(files(), 2U);
  EXPECT_FALSE(FileTransaction::recover(tree_));
}

TEST_F(Transaction, RecoveryGoesBackWhereNewContentsAreGone) {
  const auto journal = left_by_a_dead_one(tree_);
  fs::remove(tree_ / journal.name_of_new("src/b"));
  EXPECT_TRUE(FileTransaction::recover(tree_));
  EXPECT_EQ(a() + b(), "old aold b");
  EXPECT_EQ(files(), 2U);
}

TEST_F(Transaction, GoingBackLeavesAFileThatWasChangedSince) {
  const auto journal = left_by_a_dead_one(tree_);
  fs::remove(tree_ / journal.name_of_new("src/b"));
  sample::write(tree_ / "src/a", "mine");
  EXPECT_TRUE(FileTransaction::recover(tree_));
  EXPECT_EQ(a() + b(), "mineold b");
}

TEST_F(Transaction, RecoveryRefusesAFileThatWasChangedSince) {
  left_by_a_dead_one(tree_);
  sample::write(tree_ / "src/b", "mine");
  const auto message = refusal([&] { FileTransaction::recover(tree_); });
  EXPECT_NE(message.find("src/b was changed"), std::string::npos) << message;
  EXPECT_EQ(a() + b(), "new amine");
}

TEST_F(Transaction, RecoveryTouchesNothingThatNoJournalNames) {
  sample::write(tree_ / "src/a.corsika-patch-new", "mine");
  sample::write(tree_ / "src/a.corsika-patch-0123456789abcdef-new", "mine");
  EXPECT_FALSE(FileTransaction::recover(tree_));
  EXPECT_EQ(files(), 4U);
  sample::write(tree_ / ".corsika-patch-journal.new", "my own notes");
  EXPECT_NE(refusal([&] { FileTransaction::recover(tree_); }), "accepted");
  EXPECT_EQ(sample::read(tree_ / ".corsika-patch-journal.new"), "my own notes");
}

TEST_F(Transaction, AnUnreadableJournalIsRefused) {
  const auto whole = left_by_a_dead_one(tree_).text();
  for (const auto& text :
       {std::string(), std::string("{\"files\": []}"), whole.substr(0, whole.size() - 70)}) {
    sample::write(tree_ / ".corsika-patch-journal", text);
    EXPECT_NE(refusal([&] { FileTransaction::recover(tree_); }), "accepted");
    EXPECT_EQ(a() + b(), "new aold b");
  }
}

}  // namespace
