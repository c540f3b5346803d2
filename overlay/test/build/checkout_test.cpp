#include "overlay/build/checkout.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace overlay;
namespace fs = std::filesystem;

TEST(Checkout, SourcesAndBuildAreThere) {
  EXPECT_TRUE(fs::is_regular_file(source_root() / "profiles" / "models.toml"));
  EXPECT_TRUE(fs::is_regular_file(build_root() / "CMakeCache.txt"));
}

TEST(Checkout, AnotherBuildByItsVariable) {
  setenv("OVERLAY_BUILD_ROOT", "/elsewhere", 1);
  const fs::path root = build_root();
  unsetenv("OVERLAY_BUILD_ROOT");
  EXPECT_EQ(root, "/elsewhere");
}
