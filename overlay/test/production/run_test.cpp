// One run: marks of workers, attempts that failed, the class of a node, and the checks of its outputs.
#include <sys/wait.h>
#include <unistd.h>

#include "error_of.hpp"
#include "example.hpp"
#include "identity/synthetic_files.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

class Attempts : public ::testing::Test {
 protected:
  void fail(const std::string& outcome, long shower) {
    RunningAttempt(production.path(), 101).failed({WorkerExit::try_again, "for a test", outcome, shower});
  }
  support::TemporaryFolder production;
};

TEST_F(Attempts, AMarkIsThereWhileAWorkerIsAtWork) {
  {
    const RunningAttempt mark(production.path(), 101);
    const auto running = attempts_at(production.path(), 101);
    ASSERT_EQ(running.size(), 1U);
    EXPECT_EQ(running[0].outcome, kRunning);
    EXPECT_EQ(running[0].host, host_name());
    note_vanished(production.path(), 101);
    EXPECT_EQ(attempts_at(production.path(), 101).at(0).outcome, kRunning);
  }
  EXPECT_TRUE(attempts_at(production.path(), 101).empty());
  EXPECT_FALSE(std::filesystem::exists(production.path() / "attempts/000101"));
}

TEST_F(Attempts, AWorkerGivesOneSignOfLifeAMinute) {
  RunningAttempt mark(production.path(), 101);
  const auto sign = mark.folder / "started.json";
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(5);
  std::filesystem::last_write_time(sign, long_ago);
  mark.beat();
  EXPECT_EQ(std::filesystem::last_write_time(sign), long_ago);
  mark.beat(std::chrono::steady_clock::now() + std::chrono::minutes(2));
  EXPECT_GT(std::filesystem::last_write_time(sign), long_ago);
}

TEST_F(Attempts, ADamagedFileKeepsNoOtherFromBeingRead) {
  fail("crash", 7);
  for (const char* text : {R"({"exit": "75"})", R"({"id": 7})", R"({"exit": 1e300, "shower": -1e19})",
                           R"({"exit": 5000000000, "process": 1e300, "machine": 3})",
                           R"({"namespace": -5, "host": null})", "[]", "{"}) {
    production.write("attempts/000101/damaged.json", text);
    production.write("attempts/000101/at-work/started.json", text);
    const auto attempts = attempts_at(production.path(), 101);
    ASSERT_EQ(attempts.size(), 3U) << text;
    EXPECT_EQ(attempts[0].exit, 0) << text;
    EXPECT_EQ(attempts[1].shower, 7) << text;
    note_vanished(production.path(), 101);
    EXPECT_EQ(attempts_at(production.path(), 101).at(2).outcome, kRunning) << text;
  }
}

TEST_F(Attempts, AKilledWorkersMarkBecomesAnAttempt) {
  for (const bool zombie : {false, true}) {  // a zombie's status is not taken
    const pid_t child = fork();
    if (child == 0) {
      const RunningAttempt mark(production.path(), 101);
      _exit(0);  // no destructor, as with kill -9
    }
    siginfo_t info{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | (zombie ? WNOWAIT : 0)), 0);
    const auto before = attempts_at(production.path(), 101);
    ASSERT_TRUE(
        std::any_of(before.begin(), before.end(), [](auto& each) { return each.outcome == kRunning; }));
    note_vanished(production.path(), 101);
    for (const auto& attempt : attempts_at(production.path(), 101)) EXPECT_EQ(attempt.outcome, "vanished");
    EXPECT_EQ(poisoned(101, attempts_at(production.path(), 101)), "");
    if (zombie) waitpid(child, nullptr, 0);
  }
}

TEST_F(Attempts, TwoCrashesAtOneShowerPoisonARun) {
  fail("crash", 7);
  fail("crash", 8);
  fail("killed", 7);
  fail("disk-full", 7);
  EXPECT_EQ(poisoned(101, attempts_at(production.path(), 101)), "");
  fail("incomplete", 7);
  const auto why = poisoned(101, attempts_at(production.path(), 101));
  EXPECT_TRUE(has(why, "run 101 stopped at shower 7"));
  EXPECT_EQ(attempts_at(production.path(), 101).size(), 5U);
  EXPECT_EQ(poisoned(102, attempts_at(production.path(), 102)), "");
}

// That libm's bits are the same each time, and others for other variants, is tested in
// command/production_run_test.sh: a program chooses its variants when it starts.
TEST(NodeClass, TheFirstNodesStaysUnlessAllAreTaken) {
  const support::TemporaryFolder production, nodes;
  ProductionPlan plan = example_plan();
  const auto measured = [&](char digit) {  // on a node on which libm gives these bits
    const auto node = nodes.write("node", "#!/bin/sh\necho " + std::string(64, digit) + "\n", true);
    return checked_class(plan, production.path(), node);
  };
  EXPECT_EQ(measured('1'), std::string(64, '1'));
  EXPECT_EQ(measured('1'), std::string(64, '1'));
  EXPECT_ERROR("other bits here (222222222222 instead of 111111111111)", measured('2'));
  EXPECT_EQ(std::distance(fs::directory_iterator(production.path()), {}), 1);
  for (const char* text : {"{\"libm\": \"aa", "[]", "{\"libm\": 7}"}) {
    production.write("node-class.json", text);
    EXPECT_ERROR("is damaged", measured('1'));
  }
  plan.class_policy = "any";
  EXPECT_EQ(measured('2'), "");
}

TEST(Scratch, TheEnginesFolderComesFirst) {
  const support::TemporaryFolder condor, slurm, given;
  setenv("SLURM_TMPDIR", slurm.path().c_str(), 1);
  EXPECT_EQ(scratch_folder({}), fs::canonical(slurm.path()));
  setenv("_CONDOR_SCRATCH_DIR", condor.path().c_str(), 1);
  EXPECT_EQ(scratch_folder({}), fs::canonical(condor.path()));
  EXPECT_EQ(scratch_folder(given.path()), fs::canonical(given.path()));
  setenv("_CONDOR_SCRATCH_DIR", "/nowhere", 1);
  EXPECT_EQ(scratch_folder({}), fs::canonical(slurm.path()));
  unsetenv("_CONDOR_SCRATCH_DIR");
  unsetenv("SLURM_TMPDIR");
  EXPECT_THROW(scratch_folder(given.path() / "none"), WorkerError);
}

class OutputCheck : public ::testing::Test {
 protected:
  OutputCheck() {
    run.run = 101;
    run.starts = {{71, 0, 0}, {72, 5, 2}};
    folder.write("log",
                 " PARTICLE OUTPUT TO FILE: DAT000101\n Telescope output file: 'telescope.dat'\n EVENT 1\n"
                 " EVENT 2\n END OF RUN\n");
    folder.write("DAT000101", particle());
    telescope_headers(101);
  }

  /// Number of the run, and the planned start of each sequence.
  static void put_headers(std::string& bytes, std::size_t run_header, float number) {
    synthetic::put_float(bytes, run_header + 4, number);
    const std::size_t event = bytes.find("EVTH");
    const std::vector<float> words{2, 71, 0, 0, 72, 5, 2000};
    for (std::size_t i = 0; i < words.size(); ++i)
      synthetic::put_float(bytes, event + 4 * (12 + i), words[i]);
  }

  /// A particle file of run 101 with the planned start of each sequence.
  std::string particle() const {
    std::string bytes = synthetic::particle_file(261121, 273, 2);
    put_headers(bytes, 4, 101);
    return bytes;
  }

  /// The telescope file's headers like those of the particle file.
  void telescope_headers(float number) {
    std::string bytes = synthetic::telescope_file(261121, "", 2);
    put_headers(bytes, 16 + 4, number);
    folder.write("telescope.dat", bytes);
  }

  std::string problems() const {
    std::string text;
    for (const std::string& problem : check_outputs(folder.path(), showers, run)) text += problem + "\n";
    return text;
  }

  void expect(const std::string& what) const { EXPECT_TRUE(has(problems(), what)); }

  support::TemporaryFolder folder;
  long showers = 2;
  PlannedRun run;
};

TEST_F(OutputCheck, FilesThatAreMissingOrEmpty) {
  EXPECT_EQ(problems(), "");
  folder.write("DAT000101", "");
  folder.write("DAT000101.long", "");
  EXPECT_EQ(problems(), "DAT000101 is empty\n");
  for (const char* name : {"telescope.dat", "DAT000101", "DAT000101.long"}) fs::remove(folder.path() / name);
  expect("telescope.dat is missing");
  expect("DAT000101 is missing");
  expect("nothing but a log was written");
}

TEST_F(OutputCheck, ACompressedFile) {
  ASSERT_EQ(std::system(("gzip '" + (folder.path() / "DAT000101").string() + "'").c_str()), 0);
  EXPECT_EQ(problems(), "");
  showers = 3;
  expect("DAT000101.gz holds 2 event headers");
}

TEST_F(OutputCheck, AnEventOrARunThatDoesNotEnd) {
  std::string bytes = particle();
  bytes[4 + 3 * 273 * 4] = 'X';
  folder.write("DAT000101", bytes);
  expect("DAT000101 holds 2 event headers and 1 event ends; the card asks for 2 showers");
  bytes = particle();
  bytes[bytes.rfind("RUNE")] = 'X';
  folder.write("DAT000101", bytes);
  expect("DAT000101 holds no run end");
}

TEST_F(OutputCheck, AnEventWithoutLight) {
  std::string bytes = synthetic::eventio_block(1200, "RUNH", 3, 261121);
  for (int event = 0; event < 2; ++event)
    bytes +=
        synthetic::eventio_block(1202, "EVTH", 45, 261121) + synthetic::eventio_block(1209, "EVTE", 0, 0);
  folder.write("telescope.dat", bytes + synthetic::eventio_block(1210, "RUNE", 0, 0));
  expect("telescope.dat holds 2 events without a block of light");
}

TEST_F(OutputCheck, AFileThatWasCutOrHasFewerShowers) {
  showers = 3;
  expect("telescope.dat holds 2 event headers and 2 event ends; the card asks for 3 showers");
  const std::string whole = folder.read("telescope.dat");
  folder.write("telescope.dat", whole.substr(0, whole.size() - 10));
  expect("telescope.dat is not whole");
}

TEST_F(OutputCheck, AnObjectWhoseInnerLengthsDoNotAddUp) {
  std::string bytes = folder.read("telescope.dat");
  const std::size_t light = bytes.find(std::string(100, 'p')) - 16;
  synthetic::put_word(bytes, light + 12, 100U | 0x40000000U);  // now it is to hold objects
  folder.write("telescope.dat", bytes);
  expect("telescope.dat is not whole: the object at byte");
}

TEST_F(OutputCheck, OtherSeedsThanPlannedOrAnotherRuns) {
  run.starts[1].seed = 73;
  expect("begins sequence 2 with seed 72 after 2000000005 numbers; the plan has seed 73 after 2000000005");
  run.starts[1].seed = 72;
  run.starts[1].billions = 3;
  expect("the plan has seed 72 after 3000000005");
  run.starts[1].billions = 2;
  run.starts.push_back({1, 0, 0});
  expect("says that 2 sequences were seeded; the plan has 3");
  telescope_headers(102);
  expect("telescope.dat is of run 102, not of run 101; the plan has run 101");
}

TEST_F(OutputCheck, TellsTheShowerAtWhichARunStopped) {
  EXPECT_EQ(last_begun_shower(folder.path()), 2);
  folder.write("log", " ========== SHOWER NO          7 ====\n   END OF SHOWER NO          9\n");
  EXPECT_EQ(last_begun_shower(folder.path()), 7);
  support::TemporaryFolder empty;
  EXPECT_EQ(last_begun_shower(empty.path()), 0);
}

}  // namespace
}  // namespace overlay
