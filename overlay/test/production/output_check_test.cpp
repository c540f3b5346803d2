// The checks of a run's outputs: each thing that can be missing is named.
#include "overlay/production/output_check.hpp"

#include <gtest/gtest.h>

#include "identity/synthetic_files.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

class OutputCheck : public ::testing::Test {
 protected:
  OutputCheck() {
    run.number = 101;
    run.starts = {{71, 0, 0}, {72, 5, 2}};
    folder.write("log", " PARTICLE OUTPUT TO FILE: DAT000101\n EVENT 1\n EVENT 2\n END OF RUN\n");
    folder.write("DAT000101", particle());
    folder.write("telescope.dat", synthetic::telescope_file(261121, "", 2));
    telescope_headers(101);
  }

  /// A particle file of run 101 with the planned start of each sequence.
  std::string particle() const {
    std::string bytes = synthetic::particle_file(261121, 273, 2);
    const std::size_t run_header = 4, event = 4 + 273 * 4;
    synthetic::put_float(bytes, run_header + 4, 101);
    const std::vector<float> words{2, 71, 0, 0, 72, 5, 2000};
    for (std::size_t i = 0; i < words.size(); ++i)
      synthetic::put_float(bytes, event + 4 * (12 + i), words[i]);
    return bytes;
  }

  /// The telescope file's headers like those of the particle file.
  void telescope_headers(float number) {
    std::string bytes = synthetic::telescope_file(261121, "", 2);
    synthetic::put_float(bytes, 16 + 4 + 4, number);
    const std::size_t event = bytes.find("EVTH");
    const std::vector<float> words{2, 71, 0, 0, 72, 5, 2000};
    for (std::size_t i = 0; i < words.size(); ++i)
      synthetic::put_float(bytes, event + 4 * (12 + i), words[i]);
    folder.write("telescope.dat", bytes);
  }

  std::string problems() const {
    std::string text;
    for (const std::string& problem : check_outputs(folder.path(), showers, named, run))
      text += problem + "\n";
    return text;
  }

  void expect(const std::string& what) const {
    EXPECT_NE(problems().find(what), std::string::npos) << problems() << "instead of " << what;
  }

  support::TemporaryFolder folder;
  long showers = 2;
  std::vector<std::string> named{"telescope.dat"};
  PlannedRun run;
};

TEST_F(OutputCheck, AWholeRunHasNoProblems) { EXPECT_EQ(problems(), ""); }

TEST_F(OutputCheck, AFileThatIsMissing) {
  std::filesystem::remove(folder.path() / "telescope.dat");
  expect("telescope.dat is missing");
  std::filesystem::remove(folder.path() / "DAT000101");
  expect("DAT000101 is missing");
  expect("nothing but a log was written");
}

TEST_F(OutputCheck, AFileThatIsEmpty) {
  folder.write("DAT000101", "");
  folder.write("DAT000101.long", "");
  EXPECT_EQ(problems(), "DAT000101 is empty\n");
}

TEST_F(OutputCheck, ACompressedFile) {
  ASSERT_EQ(std::system(("gzip '" + (folder.path() / "DAT000101").string() + "'").c_str()), 0);
  EXPECT_EQ(problems(), "");
  showers = 3;
  expect("DAT000101.gz holds 2 event headers");
}

TEST_F(OutputCheck, AnEventThatDoesNotEnd) {
  std::string bytes = particle();
  bytes[4 + 3 * 273 * 4] = 'X';
  folder.write("DAT000101", bytes);
  expect("DAT000101 holds 2 event headers and 1 event ends; the card asks for 2 showers");
}

TEST_F(OutputCheck, AFileWithoutARunEnd) {
  std::string bytes = particle();
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

TEST_F(OutputCheck, FewerShowersThanAskedFor) {
  showers = 3;
  expect("telescope.dat holds 2 event headers and 2 event ends; the card asks for 3 showers");
}

TEST_F(OutputCheck, AFileThatWasCut) {
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

TEST_F(OutputCheck, OtherSeedsThanPlanned) {
  run.starts[1].seed = 73;
  expect("begins sequence 2 with seed 72 after 2000000005 numbers; the plan has seed 73 after 2000000005");
  run.starts[1].seed = 72;
  run.starts[1].billions = 3;
  expect("the plan has seed 72 after 3000000005");
  run.starts[1].billions = 2;
  run.starts.push_back({1, 0, 0});
  expect("says that 2 sequences were seeded; the plan has 3");
}

TEST_F(OutputCheck, AnotherRunsFile) {
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
