// Comparison of runs, and checksums of content: what may differ does not count, and every other byte does.
#include "overlay/identity/identity.hpp"

#include "folder_test.hpp"
#include "support/process.hpp"
#include "synthetic_files.hpp"

namespace overlay {
namespace {

constexpr Dates kToday{261121, 261121};

/// A card as the IACT package copies it: a count, and lines behind their lengths.
std::string card_object(const std::vector<std::string>& lines) {
  std::string bytes(4, '\0');
  synthetic::put_word(bytes, 0, static_cast<std::uint32_t>(lines.size()));
  for (const std::string& line : lines) {
    bytes += static_cast<char>(line.size() & 255);
    bytes += static_cast<char>(line.size() >> 8);
    bytes += line;
  }
  return bytes;
}

/// Flips one bit of every byte in turn, and demands that each is caught: by the comparison, and by digests
/// but in dates, of which all are one. Of the zeros that fill a record up it flips a few.
void every_flip_is_caught(const std::string& name, const std::string& bytes) {
  ASSERT_TRUE(compare_bytes(name, bytes, bytes, kToday, kToday).equal);
  const std::string digest = content_digest(name, bytes);
  for (const std::string& other : {bytes + "x", bytes.substr(0, bytes.size() - 1)}) {
    EXPECT_FALSE(compare_bytes(name, bytes, other, kToday, kToday).equal);
    EXPECT_NE(content_digest(name, other), digest);
  }
  std::string other = bytes;
  for (std::size_t i = 0; i < bytes.size(); i += i < 6600 || i + 100 > bytes.size() ? 1 : 13) {
    const char flip = static_cast<char>(1 << (i % 8));
    other[i] = static_cast<char>(other[i] ^ flip);
    if (i % 41 == 8) {
      ASSERT_NE(content_digest(name, other), digest) << "byte " << i;
    }
    const FileIdentity result = compare_bytes(name, bytes, other, kToday, kToday);
    ASSERT_FALSE(result.equal) << "byte " << i;
    // A date word differs as a whole, wherever in it the flip is.
    ASSERT_EQ(*result.first_difference, i);
    other[i] = static_cast<char>(other[i] ^ flip);
  }
}

TEST(Identity, OneFlippedBitInAnyFile) {
  every_flip_is_caught("DAT000001", synthetic::particle_file(261121));
  every_flip_is_caught("DAT000001", synthetic::particle_file(261121, 312));  // thinned
  every_flip_is_caught("telescope.dat", synthetic::telescope_file(261121, card_object({"NSHOW 1"})));
  every_flip_is_caught("telescope.dat", synthetic::standin_file(2));
  every_flip_is_caught("DAT000001.long", "0 1 2 3\n4 5 6 7\n");
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
    std::string behind = b;
    behind[b.size() - 9] = static_cast<char>(behind[b.size() - 9] ^ 1);  // before a record's length
    const FileIdentity differs = compare_bytes(name, a, behind, {261121, 261122}, {261121, 261122});
    EXPECT_FALSE(differs.equal);
    EXPECT_EQ(differs.first_difference, a.size() - 9) << "behind the dates";
  }
}

TEST(Identity, EachRunHasItsOwnDates) {
  const std::string a = synthetic::particle_file(261122), b = synthetic::particle_file(261121);
  EXPECT_TRUE(compare_bytes("DAT000001", a, b, {261122, 261123}, {261121, 261123}).equal);
  EXPECT_FALSE(compare_bytes("DAT000001", a, b, {261121, 261123}, {261122, 261123}).equal);
}

TEST(Identity, OnlyTimeLinesOfALogAreNormalised) {
  const std::string a = "x 1\n PRESENT TIME : 21.11.2026  09:59:00 UTC\n TOTAL TIME USED   =    2.   SEC\n";
  const std::string b = "x 1\n PRESENT TIME : 22.11.2026  10:00:01 UTC\n TOTAL TIME USED   =   12.   SEC\n";
  const FileIdentity same = compare_bytes("log", a, b);
  EXPECT_TRUE(same.equal) << same.reason;
  EXPECT_EQ(same.normalised, std::vector<std::string>{"2 time lines"});
  for (const auto& [x, y] : {std::pair<std::string, std::string>{"x 1\n", "x 2\n"},
                             {" PRESENT TIME : 1 UTC\n", " PRESENT TIME : 1 CET\n"},
                             {a, a + "more\n"},
                             {a, a.substr(0, a.size() - 1)}})
    EXPECT_FALSE(compare_bytes("log", x, y).equal) << x << y;
  EXPECT_FALSE(compare_bytes("notes", a, b).equal) << "only the log is a log";
}

/// Two run folders and the card of both.
class IdentityOfFolders : public FolderTest {
 protected:
  void write(const std::string& name, const std::string& bytes) {
    for (const char* run : {"a/", "b/"}) folder.write(run + name, bytes);
  }
  Identity compare() {
    write("log", log);
    return compare_folders(folder.path() / "a", folder.path() / "b", kToday, kToday);
  }
  /// "identical", or the only reason why the folders differ, or "? " and why they could not be compared.
  std::string verdict() {
    const Identity found = compare();
    EXPECT_EQ(found.differs(), !found.reasons.empty());
    EXPECT_EQ(found.identical, found.reasons.empty() && found.could_not_compare.empty());
    return found.identical   ? "identical"
           : found.differs() ? support::join(found.reasons)
                             : "? " + found.could_not_compare;
  }

  std::string log = "end\n";
};

TEST_F(IdentityOfFolders, EventsAreThoseOfEachFileThatHoldsSomeAndLinksAndWhatIsOursAreNoOutputs) {
  write("DAT000001", synthetic::particle_file(261121));
  write("DAT000001.long", "a table\n");
  const Identity identity = compare();
  EXPECT_TRUE(identity.identical);
  ASSERT_EQ(identity.files.size(), 3u);
  EXPECT_EQ(identity.files[0].kind, "particle");
  EXPECT_EQ(identity.files[0].events, 1U);
  EXPECT_EQ(identity.events, 1U);
  write("light.dat", synthetic::telescope_file(261121, "", 3));
  EXPECT_EQ(compare().events, std::nullopt) << "the files hold 1 and 3";
  for (const char* ours : {"card", "gmon.out", "light-pipe", "light-pipe.environment", "light-pipe.end"})
    folder.write(std::string("a/") + ours, "a");
  fs::create_symlink("DAT000001", folder.path() / "a/table");
  EXPECT_EQ(verdict(), "identical");
  folder.write("a/light-pipe.bytes", "light");
  EXPECT_EQ(verdict(), "light-pipe.bytes: missing in the second run");
}

TEST_F(IdentityOfFolders, WithoutAVerdict) {
  EXPECT_PRED2(holds, verdict(), "? the runs left no output but their log");
  write("DAT000001.root", "");
  EXPECT_PRED2(holds, verdict(), "? the runs left no output but their log");
  write("DAT000001.root", "root 1\n");
  EXPECT_EQ(verdict(), "identical");
  folder.write("b/DAT000001.root", "root 2\n");
  EXPECT_PRED2(holds, verdict(), "? DAT000001.root is a file of ROOT");
  folder.write("b/extra", "1");
  EXPECT_EQ(verdict(), "extra: missing in the first run");
  for (const char* file : {"a/extra", "b/extra"}) folder.write(file, "1");
  write("DAT000001.root", "root 1\n");
  log = " PARTICLE OUTPUT TO FILE: nodir/DAT000001\n";
  EXPECT_EQ(verdict(), "? the log says that nodir/DAT000001 is written, and it is not there");
}

std::string telescope(float date, const std::vector<std::string>& card) {
  return content_digest("telescope.dat", synthetic::telescope_file(date, card_object(card), 2));
}

TEST(ContentDigest, DatesAndTimesDoNotCount) {
  EXPECT_EQ(content_digest("DAT000001", synthetic::particle_file(261121)),
            content_digest("DAT000001", synthetic::particle_file(261122)));
  EXPECT_EQ(telescope(261121, {"NSHOW 1"}), telescope(261122, {"NSHOW 1"}));
  EXPECT_NE(content_digest("DAT000001", synthetic::particle_file(261121)),
            content_digest("DAT000001", synthetic::particle_file(1.5)));  // no date
  const std::string log = " PRESENT TIME : 22.11.2026  20:11:06\n EVENT 1\n END OF RUN\n";
  EXPECT_EQ(content_digest("log", log),
            content_digest("log", " PRESENT TIME :  1. 1.2027   9:01:00\n EVENT 1\n END OF RUN\n"));
  EXPECT_NE(content_digest("log", log),
            content_digest("log", " PRESENT TIME : 22.11.2026  20:11:06\n EVENT 2\n END OF RUN\n"));
  EXPECT_NE(content_digest("other", log), content_digest("log", log));
}

TEST(ContentDigest, WhereTheLightWentDoesNotCount) {
  const std::string file = telescope(261121, {"NSHOW 1", "TELFIL telescope.dat", "EXIT"});
  EXPECT_EQ(file, telescope(261121, {"NSHOW 1", "TELFIL |sh ./light-pipe gzip -c > light.gz", "EXIT"}));
  EXPECT_EQ(file, telescope(261121, {"NSHOW 1", "IACT TELFIL other.dat", "EXIT"}));
  EXPECT_NE(file, telescope(261121, {"NSHOW 2", "TELFIL telescope.dat", "EXIT"}));
  EXPECT_NE(file, telescope(261121, {"NSHOW 1", "TELFILE x", "EXIT"}));
  const auto standin = [](const std::string& line) {
    return content_digest("telescope.dat", synthetic::standin_block(1, line) + synthetic::standin_file(2));
  };
  EXPECT_EQ(standin("TELFIL telescope.dat"), standin("TELFIL |cat"));
  EXPECT_NE(standin("NSHOW 1"), standin("NSHOW 2"));
}

}  // namespace
}  // namespace overlay
