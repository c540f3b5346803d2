// Files, temporary folders, checksums and TOML.
#include "support/files.hpp"

#include <cmath>

#include "folder_test.hpp"
#include "support/checksum.hpp"
#include "support/toml.hpp"

using namespace support;
using Files = FolderTest;
using TomlFile = FolderTest;

TEST_F(Files, AreWrittenWholeAndUnchangedOnesLeftAlone) {
  const auto file = folder.path() / "f";
  write_file(file, "one");
  const auto time = fs::last_write_time(file);
  write_file(file, "one");
  EXPECT_EQ(fs::last_write_time(file), time);
  write_file(file, "two");
  EXPECT_EQ(read_file(file), "two");
  EXPECT_ERROR("cannot write", write_file(file / "below", "x"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST_F(Files, AFullDiskLeavesTheOldText) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "SKIPPED: there is no /dev/full";
  EXPECT_ERROR("cannot write", write_file("/dev/full/x", "x"));
  EXPECT_ERROR("cannot read", read_file(folder.path()));
  EXPECT_EQ(read_file(folder.write("empty", "")), "");
}

TEST_F(Files, NewFoldersGoAgainWhereTheyAreEmptyAndOldOnesStay) {
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
  EXPECT_ERROR("--out DIR", NewFolders made(folder.path() / "file" / "a"));
}

TEST_F(Files, WhatCannotBeDeletedIsAnError) {
  const auto file = folder.write("a/b", "x");
  EXPECT_ERROR("cannot delete", delete_file(folder.path() / "a"));
  delete_file(file);
  delete_file(file);
  delete_file(folder.path() / "a");
  EXPECT_FALSE(fs::exists(folder.path() / "a"));
}

TEST_F(Files, AFullDiskByWhatAProgramSaid) {
  EXPECT_TRUE(disk_is_full(folder.path(), "Fortran runtime error: No space left on device"));
  EXPECT_TRUE(disk_is_full(folder.path(), "tar: a: Cannot write: Disk quota exceeded\n"));
  EXPECT_FALSE(disk_is_full(folder.path(), "tar: a: Cannot open\n"));
  EXPECT_FALSE(disk_is_full(folder.path() / "none", ""));
  EXPECT_TRUE(disk_is_full("/proc", ""));  // a file system without any space
}

TEST(TemporaryFolder, GoesWithReadOnlyFoldersAndNotWithWhatLinksPointTo) {
  TemporaryFolder outside;
  const auto kept = outside.write("kept", "x");
  fs::path place;
  {
    TemporaryFolder inside(outside.path(), ".part");
    place = inside.path();
    EXPECT_EQ(place.parent_path(), outside.path());
    inside.write("locked/file", "x");
    fs::create_directory_symlink(outside.path(), inside.path() / "locked" / "link");
    fs::permissions(inside.path() / "locked", fs::perms::owner_read | fs::perms::owner_exec);
    // The superuser may write there all the same.
  }
  EXPECT_FALSE(fs::exists(place));
  EXPECT_TRUE(fs::exists(kept));
}

TEST(Checksum, KnownAnswersAlsoPieceByPiece) {
  EXPECT_EQ(sha256_of_text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  TemporaryFolder folder;
  const auto file = folder.write("abc", "abc");
  EXPECT_EQ(sha256_of_file(file), sha256_of_text("abc"));
  EXPECT_EQ(md5_of_file(file), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_ERROR("cannot read", sha256_of_file(folder.path() / "none"));
  Checksum sum;
  for (const char* part : {"a", "", "bc"}) sum.update(part);
  EXPECT_EQ(sum.hexadecimal(), sha256_of_text("abc"));
}

TEST(Checksum, OfATreeCountsNamesAndContentsOnly) {
  TemporaryFolder a, b;
  for (const auto* folder : {&a, &b}) {
    folder->write("x/one", "1");
    folder->write("two", "2");
  }
  b.write(".git/config", "not counted");
  EXPECT_EQ(sha256_of_tree(a.path()), sha256_of_tree(b.path()));
  b.write("two", "3");
  EXPECT_NE(sha256_of_tree(a.path()), sha256_of_tree(b.path()));
  b.write("two", "2");
  fs::rename(b.path() / "two", b.path() / "three");
  EXPECT_NE(sha256_of_tree(a.path()), sha256_of_tree(b.path()));
}

TEST_F(TomlFile, ValuesOfEachKindAndWhatIsNotThereIsNothing) {
  const Toml toml = Toml::read(folder.write("a.toml",
                                            "text = 'a b'\nwhole = -7\nfull = 3.0\nnumber = 1.5\nfar = inf\n"
                                            "texts = ['x', 1, 'y']\nday = 2026-01-02\n"));
  EXPECT_EQ(toml["whole"].number(), -7.);
  EXPECT_EQ(toml["full"].whole(), 3);
  for (const char* none : {"number", "far", "text", "other"}) EXPECT_EQ(toml[none].whole(), std::nullopt);
  EXPECT_EQ(toml["far"].number(), HUGE_VAL);
  EXPECT_EQ(toml["texts"].texts(), (std::vector<std::string>{"x", "y"}));
  EXPECT_FALSE(toml["day"]);
  EXPECT_FALSE(toml["other"]["deeper"]);
  EXPECT_TRUE(toml["text"]["inner"].table().empty());
  EXPECT_TRUE(toml["text"].texts().empty());
  EXPECT_FALSE(toml["text"].is_table());
}

TEST_F(TomlFile, ErrorsNameTheFileAndTheLine) {
  const auto file = folder.write("b\xe9.toml", "a = 1\nb = = 2\n");
  const std::string error = error_of([&] { Toml::read(file, "profile"); });
  EXPECT_EQ(error.find("profile " + file.string() + ", line 2: "), 0U) << error;
  EXPECT_ERROR("none.toml", Toml::read(folder.path() / "none.toml"));
  const auto cut = folder.write("cut.toml", "a = i\n");  // toml++ repeats the line's end
  EXPECT_EQ(error_of([&] { Toml::read(cut); }).find_first_of("\n\t"), std::string::npos);
}
