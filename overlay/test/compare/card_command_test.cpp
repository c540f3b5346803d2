// Cards whose light goes into a command, with shell scripts in the place of the programs.
#include <gtest/gtest.h>

#include "identity/synthetic_files.hpp"
#include "overlay/compare/compare.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

/// Programs that send a made-up telescope file to the command of their card, as CORSIKA does.
class CardCommand : public ::testing::Test {
 protected:
  CardCommand() {
    set.profile.name = "test";
    set.profile.options = {"CERENKOV", "IACT"};
    set.flags = "tuned";
    set.corsika_version = "7.7410";
    set.out = folder.path() / "out";
    program("stock", 'p');
    program("patched", 'p');
    options.repeats = 2;
    options.sampled_repeats = options.parts_repeats = 0;
    options.gprof = false;
  }
  void program(const std::string& build, char light) {
    std::string bytes = synthetic::telescope_file(261121);
    bytes[bytes.find("pppp")] = light;
    const auto file = folder.write(build + ".light", bytes);
    BuiltProgram made;
    made.build = build;
    made.executable = folder.write(
        build,
        "#!/bin/sh\ncommand=$(sed -n \"s/^TELFIL '|\\(.*\\)'$/\\1/p\" card)\nsh -c \"$command\" < '" +
            file.string() + "'\necho ' END OF RUN'\n",
        true);
    set.programs[build] = made;
  }
  Report compare(const std::string& command) {
    set.card = "NSHOW 1\nPAROUT F\nTELESCOPE 0. 0. 0. 7.E2\nTELFIL '|" + command + "'\n";
    return compare_programs(set, options);
  }
  std::string runs_of(const std::string& build) { return folder.read("out/runs/test/" + build + "-1/ran"); }

  support::TemporaryFolder folder;
  BuildSet set;
  CompareOptions options;
};

TEST_F(CardCommand, TheBytesOfThePipeAreCompared) {
  const Report same = compare("cat");
  EXPECT_TRUE(same.identity.identical) << (same.identity.reasons.empty() ? "" : same.identity.reasons[0]);
  EXPECT_EQ(same.identity.events, 1U);
  program("patched", 'q');
  const Report other = compare("cat");
  EXPECT_FALSE(other.identity.identical);
  ASSERT_FALSE(other.identity.reasons.empty());
  EXPECT_EQ(other.identity.reasons[0], "light-pipe.bytes: bytes differ");
}

TEST_F(CardCommand, TheCommandRunsOnceForEachProgramAndGetsTheSameBytes) {
  const Report report = compare("sh -c \"tee -a copy >/dev/null && echo once >>ran\"");
  EXPECT_TRUE(report.identity.identical)
      << (report.identity.reasons.empty() ? "" : report.identity.reasons[0]);
  for (const char* build : {"stock", "patched"}) {
    EXPECT_EQ(runs_of(build), "once\n") << build;
    EXPECT_EQ(folder.read(std::string("out/runs/test/") + build + "-1/copy"),
              synthetic::telescope_file(261121));
  }
}

TEST_F(CardCommand, ACommandThatFailsIsToldAndTheVerdictStays) {
  const Report report = compare("sh -c \"cat >/dev/null; exit 3\"");
  EXPECT_TRUE(report.identity.identical);
  EXPECT_EQ(report.command_failed,
            "your command (TELFIL |sh -c \"cat >/dev/null; exit 3\") failed with exit status 3 on the light "
            "of stock");
  const auto lines = closing_lines(report, derive(report));
  EXPECT_EQ(lines[0].find("Same bytes: yes"), 0U);
  EXPECT_EQ(lines[1], "But " + report.command_failed + ".");
}

TEST_F(CardCommand, ACommandThatIsMissingIsToldAndTheVerdictStays) {
  const Report report = compare("no-such-program -x");
  EXPECT_TRUE(report.identity.identical);
  EXPECT_NE(report.command_failed.find("(TELFIL |no-such-program -x) failed with exit status 127"),
            std::string::npos);
}

}  // namespace
}  // namespace overlay
