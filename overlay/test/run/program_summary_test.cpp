// What a run leaves: lines of our libraries, counters of a log; the program in the place of a card's command,
// as a CORSIKA would start it, and the command behind it.
#include "overlay/run/program_summary.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "error_of.hpp"
#include "overlay/card/named_files.hpp"
#include "overlay/identity/output_files.hpp"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

TEST(Summary, KeysAndValues) {
  const auto summary = parse_summary(
      "Note: x\nranmar: no card, going on\nranmar: backend=simd sequences=4 draws=123456\ncherenkov: steps=3 "
      "bunches=70\n",
      "ranmar:", "draws");
  EXPECT_EQ(summary.at("backend"), "simd");
  EXPECT_EQ(number_in(summary, "draws"), 123456u);
  EXPECT_FALSE(number_in(summary, "backend"));
  EXPECT_FALSE(number_in(summary, "waits"));
  EXPECT_TRUE(parse_summary("nothing\n", "ranmar:", "draws").empty());
  const auto light =
      parse_summary("ranmar: draws=1\ncherenkov: steps=3 bunches=70\n", "cherenkov:", "bunches");
  EXPECT_EQ(number_in(light, "bunches"), 70U);
}

TEST(LogDraws, LastLessFirstOfEverySequence) {
  EXPECT_EQ(log_draws(" SEQUENCE =  1  SEED =        11  CALLS =         5  BILLIONS =         0\n"
                      " SEQUENCE =  2  SEED =        12  CALLS =         0  BILLIONS =         0\n"
                      " SEQUENCE =  1  SEED =        11  CALLS =         9  BILLIONS =         2\n"
                      " SEQUENCE =  2  SEED =        12  CALLS =       100  BILLIONS =         0\n"),
            2000000104u);
  EXPECT_FALSE(log_draws("no counters\n"));
}

TEST(LogDraws, NumbersThatAreNoCountersAreLeftOut) {
  EXPECT_FALSE(log_draws(" SEQUENCE =  1  CALLS = 99999999999999999999999\n"));
  EXPECT_FALSE(log_draws(" SEQUENCE =  1  CALLS = 7  BILLIONS = 1"
                         "SEQUENCE\n SEQUENCE\n SEQUENCE =\n SEQUENCE = 1 CALLS\n")
                   .value_or(0));
  EXPECT_FALSE(log_draws(" SEQUENCE = 99999999999  SEED = 1  CALLS = 1\n"));
}

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class TelescopePipe : public ::testing::Test {
 protected:
  /// What CORSIKA does: starts what the card names by a shell in the run folder, writes, closes.
  void send(const std::string& card, const std::string& light) {
    folder.write("run/card", card);
    keep_telescope_data(run);
    const std::string changed = folder.read("run/card");
    ASSERT_NE(changed, card);
    const std::string line =
        "cd '" + run.string() + "' && export RUNNR=7 && " + *telescope_command(Card(changed));
    std::FILE* pipe = popen(line.c_str(), "w");
    ASSERT_NE(pipe, nullptr);
    ASSERT_EQ(std::fwrite(light.data(), 1, light.size(), pipe), light.size());
    ASSERT_EQ(pclose(pipe), 0);
  }
  std::string behind(const std::string& command, std::chrono::milliseconds limit = 60s) {
    return run_behind_telescope_pipe(command, run, folder.path() / "log", limit);
  }

  support::TemporaryFolder folder;
  fs::path run = folder.write("run/card", "").parent_path();
  const std::string light = std::string(300000, 'p') + '\0' + "end";
};

TEST_F(TelescopePipe, ACardWithoutACommandStays) {
  folder.write("run/card", "TELFIL light.dat\n");
  keep_telescope_data(run);
  EXPECT_EQ(folder.read("run/card"), "TELFIL light.dat\n");
  EXPECT_NO_THROW(wait_for_telescope_data(run)) << "no command was started";
}

TEST_F(TelescopePipe, KeepsTheBytesAndHandsThemToTheCommand) {
  send("TELFIL '|dd of=copy'\n", light);
  wait_for_telescope_data(run);
  EXPECT_EQ(folder.read(std::string("run/") + kPipedTelescopeData), light);
  EXPECT_FALSE(fs::exists(run / "copy")) << "the command runs later";
  EXPECT_EQ(behind("dd of=copy"), "");
  EXPECT_EQ(folder.read("run/copy"), light);
  const auto files = output_files(run);
  EXPECT_EQ(files.size(), 2U) << "the data, and what the command wrote";
  EXPECT_TRUE(files.contains("copy") && files.contains(kPipedTelescopeData));
}

TEST_F(TelescopePipe, TheCommandHasTheEnvironmentThatCorsikaGaveIt) {
  send("TELFIL |cat\n", light);
  EXPECT_EQ(behind("cat > /dev/null; echo run $RUNNR ${LC_ALL-none}"), "");
  const char* locale = std::getenv("LC_ALL");
  EXPECT_EQ(folder.read("log"), std::string("run 7 ") + (locale == nullptr ? "none" : locale) + "\n");
}

TEST_F(TelescopePipe, ACommandThatFailsSaysSo) {
  send("TELFIL |cat\n", light);
  EXPECT_EQ(behind("cat > /dev/null; echo no array >&2; exit 3"),
            "failed with exit status 3; it said: no array");
  EXPECT_EQ(behind("head -c 10 > /dev/null"), "ended before it had read all of the light");
  EXPECT_EQ(behind("exec /no/such/program").substr(0, 28), "failed with exit status 127;");
  EXPECT_EQ(behind("sleep 60", 1s), "did not end within 1 s");
}

TEST_F(TelescopePipe, BytesThatDoNotComeAreAnError) {
  send("TELFIL |cat\n", light);
  fs::remove(run / "light-pipe.end");
  EXPECT_PRED2(holds, error_of([&] { wait_for_telescope_data(run, 20ms); }), "is not whole");
}

}  // namespace
}  // namespace overlay
