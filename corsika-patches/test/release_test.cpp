#include "corsika_patches/release.h"

#include <gtest/gtest.h>

#include "support/error.hpp"
#include "support/temporary_folder.hpp"

using corsika_patches::read_release;

namespace {

std::string release_of(const std::string& file, const std::string& text) {
  const support::TemporaryFolder folder("corsika-patches-test");
  folder.write(file, text);
  try {
    return read_release(folder.path());
  } catch (const support::Error& error) {
    return "refused";
  }
}

}  // namespace

TEST(Release, Configure) {
  EXPECT_EQ(release_of("configure.ac", "AC_PREREQ(2.50)\nAC_INIT(corsika,77410)\n"), "7.7410");
  EXPECT_EQ(release_of("configure.ac", "AC_INIT( [corsika] , [7.750] , [mail])\n"), "7.750");
  EXPECT_EQ(release_of("configure.ac", "ac_init(CORSIKA,\n 74000)"), "7.4000");
  EXPECT_EQ(release_of("configure.ac", "AC_INIT(corsika,6.990)\n"), "refused");
  EXPECT_EQ(release_of("configure.ac", "AC_INIT(corsika,79000)\n"), "refused");
  for (const char* other : {"AC_INIT(conex,77410)", "AC_INIT(corsika,774100)", "AC_INIT(corsika,77a)",
                            "AC_INIT", "AC_INIT(", "AC_INIT(corsika,", "AC_INIT(corsika,7"})
    EXPECT_EQ(release_of("configure.ac", other), "") << other;
}

TEST(Release, VersionFile) {
  EXPECT_EQ(release_of("VERSION", "CORSIKA 7.7410 of June\n"), "7.7410");
  EXPECT_EQ(release_of("VERSION", "corsika-76900\n"), "7.6900");
  EXPECT_EQ(release_of("VERSION", "12.7410 1774100 standin\n"), "");
}

TEST(Release, Source) {
  EXPECT_EQ(release_of("src/corsika.F", "C\n# define __CVERSION__  7.500\n"), "7.500");
  EXPECT_EQ(release_of("src/corsika.F", "#define __CVERSION__ 75000\n#define\n#"), "");
}

TEST(Release, TreeWithoutOne) {
  const support::TemporaryFolder folder("corsika-patches-test");
  EXPECT_EQ(read_release(folder.path()), "");
}
