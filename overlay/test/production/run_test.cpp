// One run: marks of workers, attempts that failed, the class of a node, and the checks of its outputs.
#include <sys/wait.h>
#include <unistd.h>

#include "example.hpp"
#include "identity/synthetic_files.hpp"

namespace overlay {
namespace {

struct Attempts : FolderTest {
  void fail(const std::string& outcome, long shower) const {
    RunningAttempt(path, 101).failed({WorkerExit::try_again, "for a test", outcome, shower});
  }
  std::vector<Attempt> attempts() const { return attempts_at(path, 101); }
  const fs::path path = folder.path();
};

TEST_F(Attempts, AMarkIsThereWhileAWorkerIsAtWorkAndHasOneSignOfLifeAMinute) {
  {
    RunningAttempt mark(path, 101);
    ASSERT_EQ(attempts().size(), 1U);
    EXPECT_EQ(attempts()[0].host, host_name());
    note_vanished(path, 101);
    EXPECT_EQ(attempts().at(0).outcome, kRunning);
    const auto sign = mark.folder / "started.json";
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(5);
    fs::last_write_time(sign, long_ago);
    mark.beat();
    EXPECT_EQ(fs::last_write_time(sign), long_ago);
    mark.beat(std::chrono::steady_clock::now() + std::chrono::minutes(2));
    EXPECT_GT(fs::last_write_time(sign), long_ago);
  }
  EXPECT_TRUE(attempts().empty());
  EXPECT_FALSE(fs::exists(path / "attempts/000101"));
}

TEST_F(Attempts, ADamagedFileKeepsNoOtherFromBeingRead) {
  fail("crash", 7);
  for (const char* text :
       {R"({"shower": "75"})", R"({"id": 7})", R"({"process": 1, "shower": -1e19})",
        R"({"process": 1e300, "machine": 3})", R"({"namespace": -5, "host": null})", "[]", "{"}) {
    folder.write("attempts/000101/damaged.json", text);
    folder.write("attempts/000101/at-work/started.json", text);
    ASSERT_EQ(attempts().size(), 3U) << text;
    EXPECT_EQ(attempts()[0].shower, 0) << text;
    EXPECT_EQ(attempts()[1].shower, 7) << text;
    note_vanished(path, 101);
    EXPECT_EQ(attempts().at(2).outcome, kRunning) << text;
  }
}

TEST_F(Attempts, AKilledWorkersMarkBecomesAnAttempt) {
  for (const bool zombie : {false, true}) {  // a zombie's status is not taken
    const pid_t child = fork();
    if (child == 0) {
      const RunningAttempt mark(path, 101);
      _exit(0);  // no destructor, as with kill -9
    }
    siginfo_t info{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | (zombie ? WNOWAIT : 0)), 0);
    EXPECT_EQ(attempts().back().outcome, kRunning);
    note_vanished(path, 101);
    for (const auto& attempt : attempts()) EXPECT_EQ(attempt.outcome, "vanished");
    EXPECT_EQ(poisoned(101, attempts()), "");
    if (zombie) waitpid(child, nullptr, 0);
  }
}

TEST_F(Attempts, TwoCrashesAtOneShowerPoisonARun) {
  fail("crash", 7);
  fail("crash", 8);
  fail("killed", 7);
  fail("disk-full", 7);
  EXPECT_EQ(poisoned(101, attempts()), "");
  fail("incomplete", 7);
  EXPECT_PRED2(holds, poisoned(101, attempts()), "run 101 stopped at shower 7");
  EXPECT_EQ(attempts().size(), 5U);
  EXPECT_EQ(poisoned(102, attempts_at(path, 102)), "");
}

// That libm's bits are the same each time, and others for other variants, is tested in
// command/production_run_test.sh: a program chooses its variants when it starts.
TEST(NodeClass, TheFirstNodesStaysUnlessAllAreTaken) {
  const support::TemporaryFolder production, nodes;
  ProductionPlan plan = example_plan();
  plan.folder = production.path();
  const auto measured = [&](char digit) {  // on a node on which libm gives these bits
    const auto node = nodes.write("node", "#!/bin/sh\necho " + std::string(64, digit) + "\n", true);
    return checked_class(plan, node);
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

class OutputCheck : public FolderTest {
 protected:
  OutputCheck() {
    folder.write("log",
                 " PARTICLE OUTPUT TO FILE: DAT000101\n Telescope output file: 'telescope.dat'\n EVENT 1\n"
                 " EVENT 2\n END OF RUN\n");
    folder.write("DAT000101", particle);
    folder.write("telescope.dat", telescope());
  }

  /// A file with the number of its run, and the planned start of each sequence.
  static std::string with_headers(std::string bytes, std::size_t run_header, float number = 101) {
    synthetic::put_float(bytes, run_header + 4, number);
    std::size_t place = bytes.find("EVTH") + std::size_t{4} * 12;
    for (const float word : {2, 71, 0, 0, 72, 5, 2000}) {
      synthetic::put_float(bytes, place, word);
      place += 4;
    }
    return bytes;
  }
  static std::string telescope(float number = 101) {
    return with_headers(synthetic::telescope_file(261121, "", 2), 16 + 4, number);
  }

  std::string problems() const { return support::join(check_outputs(folder.path(), showers, run), "\n"); }
  void expect(const std::string& what) const { EXPECT_PRED2(holds, problems(), what); }

  const std::string particle = with_headers(synthetic::particle_file(261121, 273, 2), 4);
  long showers = 2;
  PlannedRun run{101, {{71, 0, 0}, {72, 5, 2}}};
};

TEST_F(OutputCheck, FilesThatAreMissingOrEmpty) {
  EXPECT_EQ(problems(), "");
  folder.write("DAT000101", "");
  folder.write("DAT000101.long", "");
  EXPECT_EQ(problems(), "DAT000101 is empty");
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

TEST_F(OutputCheck, AFileThatIsNotTheWholeRuns) {
  const auto light = synthetic::eventio_object(1204, std::string(100, 'p'));
  const std::tuple<const char*, std::function<void(std::string&)>, const char*> cases[] = {
      {"DAT000101", [](auto& bytes) { bytes[4 + 3 * 273 * 4] = 'X'; },
       " holds 2 event headers and 1 event ends; the card asks for 2 showers"},
      {"DAT000101", [](auto& bytes) { bytes[bytes.rfind("RUNE")] = 'X'; }, " holds no run end"},
      {"telescope.dat",
       [&](auto& bytes) {
         for (int event = 0; event < 2; ++event) bytes.erase(bytes.find(light), light.size());
       },
       " holds 2 events without a block of light"},
      {"telescope.dat", [](auto& bytes) { bytes.resize(bytes.size() - 10); }, " is not whole"},
      {"telescope.dat",  // its object of light is to hold objects
       [](auto& bytes) {
         synthetic::put_word(bytes, bytes.find(std::string(100, 'p')) - 4, 100U | 0x40000000U);
       },
       " is not whole: the object at byte"},
      {"telescope.dat", [](auto& bytes) { bytes = telescope(102); },
       " is of run 102, not of run 101; the plan has run 101"}};
  for (const auto& [name, change, why] : cases) {
    const auto whole = folder.read(name);
    auto bytes = whole;
    change(bytes);
    folder.write(name, bytes);
    expect(name + std::string(why));
    folder.write(name, whole);
  }
  showers = 3;
  expect("telescope.dat holds 2 event headers and 2 event ends; the card asks for 3 showers");
}

TEST_F(OutputCheck, OtherSeedsThanPlanned) {
  run.seeds[1] = {73, 5, 2};
  expect("begins sequence 2 with seed 72 after 2000000005 numbers; the plan has seed 73 after 2000000005");
  run.seeds[1] = {72, 5, 3};
  expect("the plan has seed 72 after 3000000005");
  run.seeds.push_back({1, 0, 0});
  expect("says that 2 sequences were seeded; the plan has 3");
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
