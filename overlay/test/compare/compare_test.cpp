#include "overlay/compare/compare.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

/// Shell scripts in the place of the programs.
class Compare : public ::testing::Test {
 protected:
  Compare() {
    set.profile.name = "test";
    set.card = "NSHOW 2\nEXIT\n";
    set.flags = "tuned";
    set.corsika_version = "7.7410";
    set.out = folder.path() / "out";
    program("stock", kStock);
    program("patched", kPatched);
    options.repeats = 2;
    options.sampled_repeats = 0;
    options.gprof = false;
  }
  void program(const std::string& build, const std::string& script) {
    overlay::BuiltProgram made;
    made.build = build;
    made.executable = folder.write(build, "#!/bin/sh\n" + script, true);
    made.fflags = made.cflags = "-O2";
    set.programs[build] = made;
  }

  static constexpr const char* kStock =
      "cat > copy; echo ' SEQUENCE = 1 SEED = 1 CALLS = 0 BILLIONS = 0'; echo ' SEQUENCE = 1 SEED = 1 CALLS "
      "= 7 BILLIONS = "
      "0'; echo \" PRESENT TIME : $(date +%s)\"\n";
  static constexpr const char* kPatched =
      "cat > copy; echo ' SEQUENCE = 1 SEED = 1 CALLS = 0 BILLIONS = 0'; echo ' SEQUENCE = 1 SEED = 1 CALLS "
      "= 7 BILLIONS = "
      "0'; echo \" PRESENT TIME : $(date +%s)\"; echo \"ranmar: backend=$RANMAR_BACKEND draws=7\" >&2\n";
  support::TemporaryFolder folder;
  overlay::BuildSet set;
  CompareOptions options;
};

TEST_F(Compare, SameOutputs) {
  options.backend = "reference";
  const Report report = compare_programs(set, options);
  EXPECT_TRUE(report.identity.identical);
  EXPECT_EQ(report.identity_pairs, 2);
  EXPECT_EQ(report.showers, 2);
  EXPECT_EQ(report.numbers, 7u);
  EXPECT_EQ(report.numbers_log, 7u);
  EXPECT_EQ(report.backend, "reference");
  ASSERT_NE(report.build("patched"), nullptr);
  EXPECT_EQ(report.build("patched")->cpu_s.size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(set.out / "runs/test/stock-1/copy"));
  EXPECT_FALSE(std::filesystem::exists(set.out / "runs/test/stock-2"));
}

TEST_F(Compare, RunsAgainInFreshFolders) {
  compare_programs(set, options);
  EXPECT_TRUE(compare_programs(set, options).identity.identical);
}

TEST_F(Compare, AnotherOutputIsFound) {
  program("patched", std::string(kPatched) + "echo more >> copy\n");
  const Report report = compare_programs(set, options);
  EXPECT_FALSE(report.identity.identical);
  ASSERT_FALSE(report.identity.reasons.empty());
  EXPECT_EQ(report.identity.reasons[0], "copy: one is longer");
}

TEST_F(Compare, ADifferenceInALaterPairIsFound) {
  program("patched", std::string(kPatched) + "case $PWD in *patched-2) echo more >> copy;; esac\n");
  const Report report = compare_programs(set, options);
  EXPECT_FALSE(report.identity.identical);
  EXPECT_EQ(report.identity.reasons[0], "pair 2: copy: one is longer");
}

TEST_F(Compare, AFailingRunIsAnError) {
  program("patched", "exit 1\n");
  EXPECT_THROW(compare_programs(set, options), support::Error);
}

TEST_F(Compare, OptionsAreCheckedFirst) {
  const auto wrong = [&](auto change) {
    CompareOptions changed = options;
    change(changed);
    EXPECT_THROW(check_options(changed), support::Error);
  };
  wrong([](CompareOptions& o) { o.repeats = 0; });
  wrong([](CompareOptions& o) { o.backend = "fast"; });
  wrong([](CompareOptions& o) { o.core = 100000; });
  wrong([](CompareOptions& o) { o.timeout_s = -1; });
  wrong([](CompareOptions& o) { o.stages = "/nowhere"; });
}

TEST_F(Compare, BuildsThatAreNeeded) {
  options.gprof = true;
  EXPECT_EQ(needed_builds(options, "shipped"),
            (std::vector<std::string>{"stock", "patched", "stock-gprof", "patched-gprof"}));
  EXPECT_EQ(needed_builds(options, "tuned")[2], "stock-shipped");
}

}  // namespace
}  // namespace overlay
