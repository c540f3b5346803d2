#include "corsika_patches/tree_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "interference.h"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

using corsika_patches::TreeLock;

TEST(TreeLock, HoldsUntilItEnds) {
  const support::TemporaryFolder folder("corsika-patches-test");
  {
    const TreeLock first(folder.path());
    EXPECT_THROW(TreeLock{folder.path()}, support::Error);
  }
  EXPECT_NO_THROW(TreeLock{folder.path()});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// A process that dies holds nothing.
TEST(TreeLock, EndsWithItsProcess) {
  const support::TemporaryFolder folder("corsika-patches-test");
  const pid_t child = ::fork();
  if (child == 0) {
    const TreeLock held(folder.path());
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_NO_THROW(TreeLock{folder.path()});
}
