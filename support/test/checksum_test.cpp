#include "support/checksum.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "error_of.hpp"

using namespace support;

TEST(Checksum, KnownAnswers) {
  EXPECT_EQ(sha256_of_text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  support::TemporaryFolder folder;
  const auto file = folder.write("abc", "abc");
  EXPECT_EQ(sha256_of_file(file), sha256_of_text("abc"));
  EXPECT_NE(error_of([&] { sha256_of_file(folder.path() / "none"); }).find("cannot read"), std::string::npos);
}

TEST(Checksum, PieceByPiece) {
  Sha256 sum;
  sum.update("a", 1);
  sum.update("", 0);
  sum.update("bc", 2);
  EXPECT_EQ(sum.hexadecimal(), sha256_of_text("abc"));
}

TEST(Checksum, OfATreeCountsNamesAndContentsOnly) {
  support::TemporaryFolder a, b;
  for (const auto* folder : {&a, &b}) {
    folder->write("x/one", "1");
    folder->write("two", "2");
  }
  b.write(".git/config", "not counted");
  EXPECT_EQ(sha256_of_tree(a.path()), sha256_of_tree(b.path()));
  b.write("two", "3");
  EXPECT_NE(sha256_of_tree(a.path()), sha256_of_tree(b.path()));
  b.write("two", "2");
  std::filesystem::rename(b.path() / "two", b.path() / "three");
  EXPECT_NE(sha256_of_tree(a.path()), sha256_of_tree(b.path()));
}
