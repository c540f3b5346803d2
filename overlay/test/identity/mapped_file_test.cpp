// Files mapped into memory.
#include "overlay/identity/mapped_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "error_of.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

TEST(MappedFile, HasTheBytesOfTheFile) {
  const support::TemporaryFolder folder;
  EXPECT_EQ(MappedFile(folder.write("full", "a\0b")).bytes(), "a");
  EXPECT_TRUE(MappedFile(folder.write("empty", "")).bytes().empty());
}

TEST(MappedFile, WhatIsNoRegularFileIsAnErrorAndDoesNotBlock) {
  const support::TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  for (const auto& path : {folder.path() / "pipe", folder.path(), std::filesystem::path("/dev/zero")})
    EXPECT_NE(error_of([&] { MappedFile file(path); }).find("no regular file"), std::string::npos) << path;
  EXPECT_NE(error_of([&] { MappedFile file(folder.path() / "absent"); }).find("cannot read"),
            std::string::npos);
}

}  // namespace
}  // namespace overlay
