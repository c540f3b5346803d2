// Checksums of content: what may differ does not count, and every other byte does.
#include "overlay/identity/content_digest.hpp"

#include <gtest/gtest.h>

#include "synthetic_files.hpp"

namespace overlay {
namespace {

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

std::string telescope(float date, const std::vector<std::string>& card) {
  return content_digest("telescope.dat", synthetic::telescope_file(date, card_object(card), 2));
}

TEST(ContentDigest, DatesDoNotCount) {
  EXPECT_EQ(content_digest("DAT000001", synthetic::particle_file(261121)),
            content_digest("DAT000001", synthetic::particle_file(261122)));
  EXPECT_EQ(telescope(261121, {"NSHOW 1"}), telescope(261122, {"NSHOW 1"}));
  EXPECT_NE(content_digest("DAT000001", synthetic::particle_file(261121)),
            content_digest("DAT000001", synthetic::particle_file(1.5)));  // no date
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

TEST(ContentDigest, EveryOtherByteCounts) {
  for (const std::string& whole :
       {synthetic::particle_file(261121), synthetic::telescope_file(261121, card_object({"NSHOW 1"}), 2),
        synthetic::standin_file(2)}) {
    const std::string digest = content_digest("file", whole);
    for (std::size_t at = 8; at < whole.size(); at += 41) {
      std::string changed = whole;
      synthetic::put_word(changed, std::min(at, whole.size() - 4), 0x12345678);
      if (changed == whole) continue;
      // A date word that no longer holds a date counts, too.
      EXPECT_NE(content_digest("file", changed), digest) << at;
    }
    EXPECT_NE(content_digest("file", whole + "x"), digest);
    EXPECT_NE(content_digest("file", whole.substr(0, whole.size() - 1)), digest);
  }
}

TEST(ContentDigest, OfALogWithoutItsTimes) {
  const std::string log = " PRESENT TIME : 22.11.2026  20:11:06\n EVENT 1\n END OF RUN\n";
  EXPECT_EQ(content_digest("log", log),
            content_digest("log", " PRESENT TIME :  1. 1.2027   9:01:00\n EVENT 1\n END OF RUN\n"));
  EXPECT_NE(content_digest("log", log),
            content_digest("log", " PRESENT TIME : 22.11.2026  20:11:06\n EVENT 2\n END OF RUN\n"));
  EXPECT_NE(content_digest("other", log), content_digest("log", log));
}

}  // namespace
}  // namespace overlay
