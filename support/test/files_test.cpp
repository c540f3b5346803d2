#include "support/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.hpp"
#include "support/temporary_folder.hpp"

using namespace support;
namespace fs = std::filesystem;

TEST(Files, AreWrittenWholeAndUnchangedOnesLeftAlone) {
  TemporaryFolder folder;
  const auto file = folder.path() / "f";
  write_file(file, "one");
  const auto time = fs::last_write_time(file);
  write_file(file, "one");
  EXPECT_EQ(fs::last_write_time(file), time);
  write_file(file, "two");
  EXPECT_EQ(read_file(file), "two");
  EXPECT_NE(error_of([&] { write_file(file / "below", "x"); }).find("cannot write"), std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Files, AFullDiskLeavesTheOldText) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "SKIPPED: there is no /dev/full";
  EXPECT_NE(error_of([] { write_file("/dev/full/x", "x"); }), "");
  TemporaryFolder folder;
  EXPECT_NE(error_of([&] { read_file(folder.path()); }).find("cannot read"), std::string::npos);
  EXPECT_EQ(read_file(folder.write("empty", "")), "");
}

TEST(Files, NewFoldersGoAgainWhereTheyAreEmptyAndOldOnesStay) {
  TemporaryFolder folder;
  fs::create_directory(folder.path() / "old");
  { NewFolders made(folder.path() / "old" / "a" / "b"); }
  EXPECT_TRUE(fs::exists(folder.path() / "old"));
  EXPECT_FALSE(fs::exists(folder.path() / "old" / "a"));
  {
    NewFolders made(folder.path() / "old" / "a" / "b");
    folder.write("old/a/kept", "x");
  }
  EXPECT_TRUE(fs::exists(folder.path() / "old" / "a" / "kept"));
  EXPECT_FALSE(fs::exists(folder.path() / "old" / "a" / "b"));
  folder.write("file", "");
  EXPECT_NE(error_of([&] { NewFolders made(folder.path() / "file" / "a"); }).find("--out DIR"),
            std::string::npos);
}

TEST(Files, WhatCannotBeDeletedIsAnError) {
  TemporaryFolder folder;
  const auto file = folder.write("a/b", "x");
  EXPECT_NE(error_of([&] { delete_file(folder.path() / "a"); }).find("cannot delete"), std::string::npos);
  delete_file(file);
  delete_file(file);
  delete_file(folder.path() / "a");
  EXPECT_FALSE(fs::exists(folder.path() / "a"));
}

TEST(Files, AFullDiskByWhatAProgramSaid) {
  TemporaryFolder folder;
  EXPECT_TRUE(disk_is_full(folder.path(), "Fortran runtime error: No space left on device"));
  EXPECT_TRUE(disk_is_full(folder.path(), "tar: a: Cannot write: Disk quota exceeded\n"));
  EXPECT_FALSE(disk_is_full(folder.path(), "tar: a: Cannot open\n"));
  EXPECT_FALSE(disk_is_full(folder.path() / "none", ""));
  EXPECT_TRUE(disk_is_full("/proc", ""));  // a file system without any space
}
