#include "overlay/identity/identity.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "synthetic_files.hpp"

namespace overlay {
namespace {

constexpr DateWindow kToday{261121, 261121};

/// Flips one bit of every byte in turn, and demands that each is caught.
void every_flip_is_caught(const std::string& name, const std::string& bytes) {
  ASSERT_TRUE(compare_bytes(name, bytes, bytes, kToday, kToday).equal);
  std::string other = bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char flip = static_cast<char>(1 << (i % 8));
    other[i] = static_cast<char>(other[i] ^ flip);
    const FileIdentity result = compare_bytes(name, bytes, other, kToday, kToday);
    ASSERT_FALSE(result.equal) << "byte " << i;
    // A date word differs as a whole, wherever in it the flip is.
    ASSERT_EQ(*result.first_difference, i);
    other[i] = static_cast<char>(other[i] ^ flip);
  }
}

TEST(Identity, OneFlippedBitInAParticleFile) {
  every_flip_is_caught("DAT000001", synthetic::particle_file(261121));
}
TEST(Identity, OneFlippedBitInAThinnedParticleFile) {
  every_flip_is_caught("DAT000001", synthetic::particle_file(261121, 312));
}
TEST(Identity, OneFlippedBitInATelescopeFile) {
  every_flip_is_caught("telescope.dat", synthetic::telescope_file(261121));
}
TEST(Identity, OneFlippedBitElsewhere) { every_flip_is_caught("DAT000001.long", "0 1 2 3\n4 5 6 7\n"); }
TEST(Identity, OneFlippedBitInALog) {
  every_flip_is_caught("log", " SEQUENCE =  1  CALLS =  20656\n DONE\n");
}

TEST(Identity, ADateIsNormalisedAndSaid) {
  for (const auto& [name, a, b] :
       {std::tuple{"DAT000001", synthetic::particle_file(261121), synthetic::particle_file(261122)},
        std::tuple{"DAT000001", synthetic::particle_file(261121, 312), synthetic::particle_file(261122, 312)},
        std::tuple{"telescope.dat", synthetic::telescope_file(261121), synthetic::telescope_file(261122)}}) {
    const FileIdentity result = compare_bytes(name, a, b, {261121, 261122}, {261121, 261122});
    EXPECT_TRUE(result.equal) << result.reason;
    ASSERT_EQ(result.normalised.size(), 2u);
    EXPECT_EQ(result.normalised[0], "date in EVTH 261121 / 261122");
    EXPECT_EQ(result.normalised[1], "date in RUNH 261121 / 261122");
  }
}

TEST(Identity, ADateThatTheRunCannotHaveSeenIsADifference) {
  const FileIdentity result = compare_bytes("DAT000001", synthetic::particle_file(261121),
                                            synthetic::particle_file(250101), kToday, kToday);
  EXPECT_FALSE(result.equal);
  EXPECT_GE(*result.first_difference, 12u);
  EXPECT_LT(*result.first_difference, 16u);
}

TEST(Identity, EachRunHasItsOwnDates) {
  const std::string a = synthetic::particle_file(261122), b = synthetic::particle_file(261121);
  EXPECT_TRUE(compare_bytes("DAT000001", a, b, {261122, 261123}, {261121, 261123}).equal);
  EXPECT_FALSE(compare_bytes("DAT000001", a, b, {261121, 261123}, {261122, 261123}).equal);
  EXPECT_FALSE(compare_bytes("DAT000001", b, a, {261122, 261123}, {261121, 261123}).equal);
}

TEST(Identity, ADifferenceBehindANormalisedDateIsCaught) {
  const std::string a = synthetic::telescope_file(261121);
  std::string b = synthetic::telescope_file(261122);
  b.back() = static_cast<char>(b.back() ^ 1);
  const DateWindow window{261121, 261122};
  const FileIdentity result = compare_bytes("telescope.dat", a, b, window, window);
  EXPECT_FALSE(result.equal);
  EXPECT_EQ(*result.first_difference, a.size() - 1);
}

TEST(Identity, AnotherCardInTheTelescopeFileIsADifference) {
  EXPECT_FALSE(compare_bytes("t", synthetic::telescope_file(261121, "SEED 1\n"),
                             synthetic::telescope_file(261121, "SEED 2\n"), kToday, kToday)
                   .equal);
}

TEST(Identity, OnlyTimeLinesOfALogAreNormalised) {
  const std::string a = "x 1\n PRESENT TIME : 21.11.2026  09:59:00 UTC\n TOTAL TIME USED   =    2.   SEC\n";
  const std::string b = "x 1\n PRESENT TIME : 22.11.2026  10:00:01 UTC\n TOTAL TIME USED   =   12.   SEC\n";
  const FileIdentity same = compare_bytes("log", a, b);
  EXPECT_TRUE(same.equal) << same.reason;
  EXPECT_EQ(same.normalised, std::vector<std::string>{"2 time lines"});
  EXPECT_FALSE(compare_bytes("log", "x 1\n", "x 2\n").equal);
  EXPECT_FALSE(compare_bytes("log", " PRESENT TIME : 1 UTC\n", " PRESENT TIME : 1 CET\n").equal);
  EXPECT_FALSE(compare_bytes("log", a, a + "more\n").equal);
  EXPECT_FALSE(compare_bytes("log", a, a.substr(0, a.size() - 1)).equal);
  EXPECT_FALSE(compare_bytes("notes", a, b).equal) << "only the log is a log";
}

/// Two run folders and the card of both.
class IdentityOfFolders : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& bytes) {
    for (const char* run : {"a/", "b/"}) folder.write(run + name, bytes);
  }
  Identity compare() {
    write("log", "end\n");
    return compare_folders(folder.path() / "a", folder.path() / "b",
                           expected_outputs(card, {"CERENKOV", "IACT"}, profile_outputs), {"card"}, kToday,
                           kToday);
  }
  /// The only reason why the folders do not count as identical.
  std::string reason() {
    const Identity identity = compare();
    EXPECT_FALSE(identity.identical);
    EXPECT_EQ(identity.reasons.size(), 1U);
    return identity.reasons.empty() ? "" : identity.reasons.back();
  }

  support::TemporaryFolder folder;
  std::string card = "NSHOW 1\nDIRECT ./\nEXIT\n";
  std::string light_card = "NSHOW 2\nPAROUT F\nTELESCOPE 0. 0. 0. 7.E2\nTELFIL light.dat\nEXIT\n";
  std::vector<std::string> profile_outputs;
};

TEST_F(IdentityOfFolders, Equal) {
  write("DAT000001", synthetic::particle_file(261121));
  folder.write("a/card", "a");
  folder.write("b/card", "b");
  const Identity identity = compare();
  EXPECT_TRUE(identity.identical);
  ASSERT_EQ(identity.files.size(), 2u);
  EXPECT_EQ(identity.files[0].kind, FileKind::particle);
  EXPECT_EQ(identity.files[0].events, 1U);
  EXPECT_EQ(identity.events, 1U);
}

TEST_F(IdentityOfFolders, LightEqual) {
  card = light_card;
  write("light.dat", synthetic::telescope_file(261121, "", 2));
  EXPECT_TRUE(compare().identical);
}

TEST_F(IdentityOfFolders, EventsAreCountedInTheFilesWhateverTheCardAsksFor) {
  card = light_card;
  write("light.dat", synthetic::telescope_file(261121, "", 3));
  EXPECT_EQ(compare().events, 3U) << "the card asks for 2";
  card = "NSHOW 2\nDIRECT ./\nTELESCOPE 0. 0. 0. 7.E2\nTELFIL light.dat\nEXIT\n";
  EXPECT_EQ(compare().events, std::nullopt) << "a file is missing";
  write("DAT000001", synthetic::particle_file(261121));
  EXPECT_EQ(compare().events, std::nullopt) << "the files hold 1 and 3";
  write("DAT000001", "compact or compressed");
  EXPECT_EQ(compare().events, std::nullopt);
  card = "NSHOW 2\nPAROUT F\nEXIT\n";
  EXPECT_EQ(compare().events, std::nullopt) << "no file with events is expected";
}

TEST_F(IdentityOfFolders, TheStandInsLightEqual) {
  card = light_card;
  write("light.dat", synthetic::standin_file(2));
  EXPECT_TRUE(compare().identical);
}

TEST_F(IdentityOfFolders, AnExpectedFileThatNoRunWroteIsNotIdentical) {
  card = light_card;
  write("DAT000001", synthetic::particle_file(261121));
  write("other", "not empty, and no events");
  EXPECT_EQ(reason(), "light.dat is missing: no run wrote it");
}

TEST_F(IdentityOfFolders, LightThatWentIntoACommandIsComparedByTheBytesOfThePipe) {
  card = "NSHOW 1\nDIRECT ./\nTELESCOPE 0. 0. 0. 7.E2\nTELFIL |sim_telarray\n";
  write("DAT000001", synthetic::particle_file(261121));
  EXPECT_EQ(reason(), "light-pipe.bytes is missing: no run wrote it");
  write("light-pipe.bytes", synthetic::telescope_file(261121));
  EXPECT_TRUE(compare().identical);
}

TEST_F(IdentityOfFolders, AnUnknownFileDoesNotCountAsEvents) {
  card = "NSHOW 1\nPAROUT F\n";
  write("DAT000001.long", "a table\n");
  EXPECT_NE(reason().find("the card asks for no file with events"), std::string::npos);
}

TEST_F(IdentityOfFolders, OutputsOfTheProfileMustBeThere) {
  write("DAT000001", synthetic::particle_file(261121));
  profile_outputs = {"DAT000001", "DAT000001.long"};
  EXPECT_EQ(reason(), "DAT000001.long is missing: no run wrote it");
}

TEST_F(IdentityOfFolders, AnEmptyFileIsNotIdentical) {
  write("DAT000001", "");
  EXPECT_EQ(reason(), "DAT000001 is empty");
}

TEST_F(IdentityOfFolders, AnotherNumberOfEventsThanTheCardsIsNotIdentical) {
  card = "NSHOW 2\nDIRECT ./\n";
  write("DAT000001", synthetic::particle_file(261121));
  EXPECT_EQ(reason(), "DAT000001 holds 1 event headers and 1 event ends; the card asks for 2 showers");
}

TEST_F(IdentityOfFolders, AnEventThatDoesNotEndIsNotIdentical) {
  std::string bytes = synthetic::particle_file(261121);
  bytes[4 + 3 * 273 * 4] = 'X';
  write("DAT000001", bytes);
  EXPECT_EQ(reason(), "DAT000001 holds 1 event headers and 0 event ends; the card asks for 1 showers");
}

TEST_F(IdentityOfFolders, AFileWithoutARunEndIsNotIdentical) {
  std::string bytes = synthetic::particle_file(261121);
  bytes[4 + 4 * 273 * 4] = 'X';
  write("DAT000001", bytes);
  EXPECT_EQ(reason(), "DAT000001 holds no run end");
}

TEST_F(IdentityOfFolders, AFileThatIsCutShortIsNotIdentical) {
  card = light_card;
  std::string bytes = synthetic::telescope_file(261121, "", 2);
  bytes.resize(bytes.size() - 1);
  write("light.dat", bytes);
  EXPECT_NE(reason().find("light.dat is not whole: its blocks end at byte"), std::string::npos);
}

TEST_F(IdentityOfFolders, AnEventWithoutLightIsNotIdentical) {
  card = light_card;
  std::string bytes = synthetic::eventio_block(1200, "RUNH", 3, 261121);
  for (int event = 0; event < 2; ++event)
    bytes +=
        synthetic::eventio_block(1202, "EVTH", 45, 261121) + synthetic::eventio_block(1209, "EVTE", 0, 0);
  write("light.dat", bytes + synthetic::eventio_block(1210, "RUNE", 0, 0));
  EXPECT_EQ(reason(), "light.dat holds 2 events without a block of light");
}

TEST_F(IdentityOfFolders, AFileInAnUnknownFormIsNotIdentical) {
  write("DAT000001", "compact or compressed");
  EXPECT_NE(reason().find("DAT000001 is in a form that is not known"), std::string::npos);
}

TEST_F(IdentityOfFolders, AFileThatOneRunLacksIsSaid) {
  write("DAT000001", synthetic::particle_file(261121));
  folder.write("b/extra", "1");
  EXPECT_EQ(reason(), "extra: missing in the first run");
}

}  // namespace
}  // namespace overlay
