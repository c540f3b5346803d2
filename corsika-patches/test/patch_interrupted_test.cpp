// Patching that is killed, or that fails, at every single system call that can change a file.
#include <gtest/gtest.h>

#include <cerrno>

#include "corsika_patches/patch.h"
#include "interference.h"
#include "patch_fixture.h"
#include "sample_tree.h"

using namespace corsika_patches;
namespace fs = std::filesystem;

namespace {

using Interrupted = sample::PatchTest;

// A program with sanitizers starts slowly: it is killed at every third call, and without sanitizers at every
// one.
#ifdef __SANITIZE_ADDRESS__
constexpr long kEvery = 3;
#else
constexpr long kEvery = 1;
#endif

// Killed before every single system call that can change a file: the next call finds the old files or the new
// ones.
TEST_F(Interrupted, KilledAnywhereItIsFinishedOrUndone) {
  const auto stock = source();
  patch_tree(options_);
  const auto patched = source();
  for (const std::string what : {"apply", "reverse"}) {
    const auto from = what == "apply" ? stock : patched, to = what == "apply" ? patched : stock;
    long kills = 0;
    for (long nth = 1;; nth += kEvery) {
      restore(from);
      const auto run = sample::run_interfered(words(what), {nth, 0});
      if (!run.traced) GTEST_SKIP() << "SKIPPED: ptrace is not allowed here";
      if (!run.hit) {
        EXPECT_EQ(run.status, 0);
        break;
      }
      ++kills;
      EXPECT_EQ(run.status, -1);
      EXPECT_TRUE(source() == from || source() == to) << what << " killed before call " << nth;
      const auto next = program(nth % 2 == 0 ? "apply" : "reverse");
      EXPECT_EQ(next.status, 0) << next.err << what << " killed before call " << nth;
      EXPECT_EQ(source(), nth % 2 == 0 ? patched : stock);
      expect_nothing_left();
      if (HasFailure()) return;
    }
    EXPECT_GT(kills, 25 / kEvery) << what;
  }
}

// Every such call fails once: exit status 0 and the new files, or an error and the old ones.
TEST_F(Interrupted, AnyCallMayFail) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "SKIPPED: the sanitizers look at memory by write(), and end the program where that fails";
#endif
  const auto stock = source();
  patch_tree(options_);
  const auto patched = source();
  const auto manifest = folder_.path() / "manifest.json";
  for (const int error : {ENOSPC}) {
    long failures = 0;
    for (long nth = 1;; ++nth) {
      restore(stock);
      fs::remove(manifest);
      auto command = words("apply");
      command.insert(command.end(), {"--manifest", manifest.string()});
      const auto run = sample::run_interfered(command, {nth, error});
      if (!run.traced) GTEST_SKIP() << "SKIPPED: ptrace is not allowed here";
      if (!run.hit) break;
      ++failures;
      EXPECT_EQ(source(), run.status == 0 ? patched : stock) << "call " << nth;
      EXPECT_EQ(fs::exists(manifest), run.status == 0) << "call " << nth;
      EXPECT_EQ(program("reverse").status, 0);
      EXPECT_EQ(source(), stock) << "call " << nth;
      expect_nothing_left();
      if (HasFailure()) return;
    }
    EXPECT_GT(failures, 40);
  }
}

TEST_F(Interrupted, ADryRunDoesNotTouchAnInterruptedTree) {
  const auto run = sample::run_interfered(words("apply"), {});
  if (!run.traced) GTEST_SKIP() << "SKIPPED: ptrace is not allowed here";
  bool seen = false;
  for (long nth = run.calls; nth > 0 && !seen; --nth) {
    restore(sample::main_source());
    sample::run_interfered(words("apply"), {nth, 0});
    if (!fs::exists(tree_ / ".corsika-patch-journal")) continue;
    seen = true;
    EXPECT_EQ(program("check").status, 1);
    EXPECT_TRUE(fs::exists(tree_ / ".corsika-patch-journal"));
  }
  EXPECT_TRUE(seen);
}

}  // namespace
