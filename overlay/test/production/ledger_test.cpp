// The ledger of seeds: two at once never get the same places, and nothing that was handed out is handed out
// again.
#include "overlay/production/ledger.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "error_of.hpp"
#include "overlay/production/plan.hpp"
#include "support/files.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

TEST(SeedLedger, BlocksFollowOneAnother) {
  const support::TemporaryFolder folder;
  const auto ledger = folder.path() / "new" / "seeds.ledger";
  EXPECT_EQ(take_places(ledger, 3000, "one"), 0);
  EXPECT_EQ(take_places(ledger, 24, "two\nlines"), 3000);
  EXPECT_EQ(take_places(ledger, 1, "three"), 3024);
  const auto text = support::read_file(ledger);
  EXPECT_NE(text.find("3000\t24\ttwo lines\t"), std::string::npos) << text;
}

/// What a process got: the first place of each of its calls.
std::vector<std::int64_t> places_in(const std::filesystem::path& file) {
  std::istringstream in(support::read_file(file));
  std::vector<std::int64_t> places;
  for (std::int64_t place = 0; in >> place;) places.push_back(place);
  return places;
}

TEST(SeedLedger, TwoProcessesAThousandTimesNeverShareAPlace) {
  constexpr int kRounds = 1000;
  const support::TemporaryFolder folder;
  const auto ledger = folder.path() / "seeds.ledger";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  std::vector<pid_t> children;
  for (const std::int64_t size : {3, 5}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      char byte = 0;
      close(ready[1]);
      while (read(ready[0], &byte, 1) > 0) {  // both begin when the parent closes the pipe
      }
      std::ofstream out(folder.path() / std::to_string(size));
      for (int round = 0; round < kRounds; ++round) out << take_places(ledger, size, "race") << '\n';
      out.close();
      _exit(out ? 0 : 1);
    }
    children.push_back(child);
  }
  close(ready[0]);
  close(ready[1]);
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks;  // first place, and the one behind the last
  for (const std::int64_t size : {3, 5})
    for (const auto place : places_in(folder.path() / std::to_string(size)))
      blocks.emplace_back(place, place + size);
  ASSERT_EQ(blocks.size(), 2U * kRounds);
  std::sort(blocks.begin(), blocks.end());
  for (std::size_t i = 1; i < blocks.size(); ++i) ASSERT_EQ(blocks[i].first, blocks[i - 1].second);
  EXPECT_EQ(blocks.back().second, 8 * kRounds);
}

TEST(SeedLedger, RunsOfTheSameNumbersAreNamed) {
  const support::TemporaryFolder folder;
  const auto ledger = folder.write("seeds.ledger", "0\t100\tolder\tdate\n");
  LedgerRuns one{7, 16, "", 0}, beside{17, 17, "", 0}, both{16, 17, "", 0};
  take_places(ledger, 10, "one", &one);
  EXPECT_EQ(one.also_of, "") << "an older line does not say";
  take_places(ledger, 1, "beside", &beside);
  EXPECT_EQ(beside.also_of, "");
  EXPECT_EQ(take_places(ledger, 2, "both", &both), 111);
  EXPECT_EQ(both.also_of, "beside");
  EXPECT_EQ(both.free, 18);
  LedgerRuns again{1, 7, "", 0};
  take_places(ledger, 7, "again", &again);
  EXPECT_EQ(again.also_of, "one");
}

TEST(SeedLedger, ALedgerThatIsUsedUpSaysSo) {
  const support::TemporaryFolder folder;
  const auto ledger = folder.path() / "seeds.ledger";
  EXPECT_EQ(take_places(ledger, kPlaces - 10, "large"), 0);
  EXPECT_NE(error_of([&] { take_places(ledger, 11, "next"); }).find("seeds left for 10 of "),
            std::string::npos);
  EXPECT_EQ(take_places(ledger, 10, "last"), kPlaces - 10);
  EXPECT_NE(error_of([&] { take_places(ledger, 1, "next"); }).find("seeds left for 0 of "),
            std::string::npos);
  EXPECT_NE(error_of([&] { take_places(ledger, 2'000'000, "next"); }).find("--seeds offsets"),
            std::string::npos);
}

TEST(SeedLedger, ALineThatWasCutOffIsWrittenAnew) {
  const support::TemporaryFolder folder;
  const auto ledger = folder.write("seeds.ledger", "# head\n0\t100\tone\tdate\n100\t5");
  EXPECT_EQ(take_places(ledger, 7, "two"), 100);
  EXPECT_EQ(support::read_file(ledger).find("# head\n0\t100\tone\tdate\n100\t7\ttwo\t"), 0U);
}

TEST(SeedLedger, WhatIsNoLedgerIsLeftAlone) {
  const support::TemporaryFolder folder;
  for (const std::string text :
       {"my thesis\n", "12 13\n", "-1\t5\tx\n", "99999999999\t5\tx\n", "0\t0\tx\n"}) {
    const auto file = folder.write("mine", text);
    EXPECT_NE(error_of([&] { take_places(file, 1, "x"); }).find("line 1"), std::string::npos) << text;
    EXPECT_EQ(support::read_file(file), text);
  }
  std::filesystem::create_directory(folder.path() / "a-folder");
  EXPECT_NE(error_of([&] { take_places(folder.path() / "a-folder", 1, "x"); }).find("--ledger"),
            std::string::npos);
}

}  // namespace
}  // namespace overlay
