#include "overlay/identity/identity.hpp"

#include <gtest/gtest.h>

#include "synthetic_files.hpp"
#include "support/temporary_folder.hpp"

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

TEST(Identity, FoldersEqual) {
  support::TemporaryFolder folder;
  for (const char* run : {"a/", "b/"}) {
    folder.write(run + std::string("DAT000001"), synthetic::particle_file(261121));
    folder.write(run + std::string("log"), "end\n");
    folder.write(run + std::string("card"), run);
  }
  const Identity identity =
      compare_folders(folder.path() / "a", folder.path() / "b", {"card"}, kToday, kToday);
  EXPECT_TRUE(identity.identical);
  ASSERT_EQ(identity.files.size(), 2u);
  EXPECT_EQ(identity.files[0].kind, FileKind::particle);
}

TEST(Identity, NothingToCompareIsNotIdentical) {
  support::TemporaryFolder folder;
  for (const char* run : {"a/", "b/"}) folder.write(run + std::string("log"), "end\n");
  EXPECT_FALSE(compare_folders(folder.path() / "a", folder.path() / "b", {}).identical);
}

TEST(Identity, AnEmptyParticleFileIsNotIdentical) {
  support::TemporaryFolder folder;
  for (const char* run : {"a/", "b/"}) {
    folder.write(run + std::string("DAT000001"), "");
    folder.write(run + std::string("telescope.dat"), synthetic::telescope_file(261121));
  }
  const Identity identity = compare_folders(folder.path() / "a", folder.path() / "b", {}, kToday, kToday);
  EXPECT_FALSE(identity.identical);
  EXPECT_EQ(identity.reasons, std::vector<std::string>{"DAT000001 is empty"});
}

TEST(Identity, AParticleFileWithoutEventsIsNotIdentical) {
  support::TemporaryFolder folder;
  std::string bytes = synthetic::particle_file(261121);
  bytes[4 + 3 * 273 * 4] = 'X';  // no EVTE
  for (const char* run : {"a/", "b/"}) folder.write(run + std::string("DAT000001"), bytes);
  EXPECT_FALSE(compare_folders(folder.path() / "a", folder.path() / "b", {}, kToday, kToday).identical);
}

TEST(Identity, AFileThatOneRunLacksIsSaid) {
  support::TemporaryFolder folder;
  for (const char* run : {"a/", "b/"})
    folder.write(run + std::string("DAT000001"), synthetic::particle_file(261121));
  folder.write("b/extra", "1");
  const Identity identity = compare_folders(folder.path() / "a", folder.path() / "b", {}, kToday, kToday);
  EXPECT_FALSE(identity.identical);
  EXPECT_EQ(identity.reasons, std::vector<std::string>{"extra: missing in the first run"});
}

}  // namespace
}  // namespace overlay
