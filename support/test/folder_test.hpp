// What tests with a folder of their own share.
#pragma once

#include "error_of.hpp"
#include "support/temporary_folder.hpp"

namespace fs = std::filesystem;

/// A test, and its folder.
struct FolderTest : ::testing::Test {
  support::TemporaryFolder folder;
};
