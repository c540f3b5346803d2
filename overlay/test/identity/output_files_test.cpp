// What a run left: its files, what logs in CORSIKA's form say of its end (the sentences are made up), and the
// content of compressed files.
#include "overlay/identity/output_files.hpp"

#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "folder_test.hpp"
#include "overlay/identity/identity.hpp"
#include "support/process.hpp"
#include "synthetic_files.hpp"

namespace overlay {
namespace {

const std::string kBegin = " PRIMARY IS A GAMMA\n ENERGY IS FIXED AT  1.0E+02 GEV\n";

TEST(CorsikaLog, WhyCorsikaStopped) {
  const std::string end =
      "RUNNR 1\nEXIT\n\n END OF DATACARD INPUT\n   1 SYNTAX ERROR(S) IN INPUT DATA CARDS.\n";
  const std::pair<std::string, const char*> cases[] = {
      // The sentence before the guide.
      {kBegin + "\n UNALLOWED ANGLE =    75.0000      DEGREES\n PLEASE READ THE USERS GUIDE\n"
                " SEE KEYWORD: THETAP\n",
       "UNALLOWED ANGLE = 75.0000 DEGREES SEE KEYWORD: THETAP"},
      {kBegin + " ERROR IN ENERGY:\n LOW= 3.E+02 IS LARGER THAN HIGH= 1.E+02\n",
       "ERROR IN ENERGY: LOW= 3.E+02 IS LARGER THAN HIGH= 1.E+02"},
      // A bad line of the card, and not their number.
      {"TSTART T\n DATAC : UNKNOWN KEYWORD: TSTART\n" + end, "DATAC : UNKNOWN KEYWORD: TSTART"},
      {"NSHOW\n DATACARD NSHOW HAS NO PARAMETER(S)\n" + end, "DATACARD NSHOW HAS NO PARAMETER(S)"},
      // Nothing is said, or the run came to its end.
      {kBegin, ""},
      {kBegin + " ERROR OF NO WEIGHT\n ===== END OF RUN =====\n", ""}};
  for (const auto& [log, why] : cases) EXPECT_EQ(why_stopped(log), why);
  EXPECT_EQ(why_stopped(" ERROR " + std::string(1000, 'x')).size(), 300U);
}

TEST(CorsikaLog, NamesOfOutputs) {
  EXPECT_EQ(
      outputs_named(" PARTICLE OUTPUT TO FILE: ./DAT000001      \n TABLE OUTPUT TO FILE : 'a/DAT000001.tab'\n"
                    "Telescope output file: '+light.dat:5'\n CHERENKOV OUTPUT TO FILE: ./CER000001\n"
                    " CHERENKOV OUTPUT TO FILE: DAT000001.cher\n"),
      (std::vector<std::string>{"DAT000001", "a/DAT000001.tab", "light.dat", "CER000001", "DAT000001.cher"}));
  EXPECT_TRUE(
      outputs_named("Telescope output file: '|cat'\nTelescope output file: 'x_$RUNNR'\n"
                    " PARTICLE OUTPUT TO FILE: /data/DAT000001\n PARTICLE OUTPUT TO FILE: ../DAT000001\n"
                    " CHERENKOV OUTPUT TO FILE: ./DAT000001\n")
          .empty())
      << "with PAROUT F no particle file is written, and the line on light names it";
}

TEST(FileContent, WhatIsNoRegularFileIsAnErrorAndDoesNotBlock) {
  const support::TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  for (const auto& path : {folder.path() / "pipe", folder.path(), fs::path("/dev/zero")})
    EXPECT_ERROR("no regular file", FileContent file(path)) << path;
  EXPECT_ERROR("cannot read", FileContent file(folder.path() / "absent"));
}

class CompressedFile : public FolderTest {
 protected:
  /// Writes `content` into RUN/light.dat and compresses that in place.
  fs::path compress(const std::string& run, const std::string& content, const std::string& options = "",
                    const std::string& program = "gzip", const std::string& end = "gz") {
    const auto plain = folder.write(run + "/light.dat", content).string(), packed = plain + "." + end;
    const std::string line = program + " -q -c " + options + " < '" + plain + "' > '" + packed + "'";
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
    fs::remove(plain);
    return packed;
  }
  const fs::path a = folder.path() / "a", b = folder.path() / "b", c = folder.path() / "c";
};

TEST_F(CompressedFile, ContentByNameAndMark) {
  const std::string content = synthetic::telescope_file(261121);
  int seen = 0;
  std::istringstream names("gzip gz bzip2 bz2 zstd zst xz xz lzma lzma lz4 lz4 lzop lzo");
  for (std::string program, end; names >> program >> end;) {
    if (!support::find_program(program)) {
      std::printf("SKIPPED: %s is not installed\n", program.c_str());
      continue;
    }
    const auto file = compress(program, content, "", program, end);
    const FileContent read(file, file.filename().string(), folder.path());
    EXPECT_EQ(read.bytes(), content) << program;
    EXPECT_EQ(read.unpacked_by(), program);
    EXPECT_EQ(FileContent(file, "light.dat", folder.path()).unpacked_by(), "") << "the name says no";
    ++seen;
  }
  EXPECT_GE(seen, 2);
  const auto plain = folder.write("x/light.zst", content);
  EXPECT_EQ(FileContent(plain, "light.zst", folder.path()).bytes(), content)
      << "older IACT packages do not know .zst, and write the light as it is";
}

TEST_F(CompressedFile, TwoRunsAreComparedByContent) {
  compress("a", synthetic::telescope_file(261121), "-1");
  compress("b", synthetic::telescope_file(261121), "-9");
  const Identity same = compare_folders(a, b);
  EXPECT_TRUE(same.identical) << (same.reasons.empty() ? "" : same.reasons[0]);
  ASSERT_EQ(same.files.size(), 1U);
  EXPECT_EQ(same.files[0].kind, "telescope");
  EXPECT_EQ(same.files[0].events, 1U);
  EXPECT_EQ(same.files[0].normalised, std::vector<std::string>{"compared as unpacked by gzip"});

  compress("c", synthetic::telescope_file(261121, "SEED 2 0 0\n"));
  const Identity other = compare_folders(a, c);
  EXPECT_FALSE(other.identical);
  EXPECT_EQ(other.reasons[0], "light.dat.gz: bytes differ");
  for (const auto& entry : fs::directory_iterator(folder.path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".unpacked")) << "a copy was left";
}

// Stock's file cannot be unpacked, so that nobody knows; where the patched program's alone cannot, they
// differ.
TEST_F(CompressedFile, WhatCannotBeUnpackedIsADifferenceOfTheSecondRunAlone) {
  compress("a", synthetic::telescope_file(261121), "-1");
  const auto cut = compress("b", synthetic::telescope_file(261121));
  fs::resize_file(cut, fs::file_size(cut) - 5);
  fs::copy(b, c, fs::copy_options::recursive);  // gzip notes the second
  EXPECT_TRUE(compare_folders(a, b).differs());
  EXPECT_EQ(compare_folders(b, a).could_not_compare.find("light.dat.gz cannot be unpacked"), 0U);
  EXPECT_TRUE(compare_folders(b, c).identical) << "the same bytes";
}

// Blocks of output files, whole and broken. Bytes of any kind: validation/fuzz/targets/outputs.cpp.

TEST(OutputBlocks, OfBrokenFiles) {
  std::string record = synthetic::particle_file(261121);
  EXPECT_EQ(blocks_of(record).walked, record.size());
  record[record.size() - 4] = static_cast<char>(record[record.size() - 4] ^ 1);
  EXPECT_EQ(blocks_of(record).walked, 0U) << "a record ends with its length";
  EXPECT_EQ(blocks_of(record).event_headers, 0U);
  std::string header(20, '\0');
  std::memcpy(header.data() + 4, "EVTH", 4);
  const FileBlocks blocks = blocks_of(synthetic::eventio_object(1202, header) + std::string(400, 'x'));
  EXPECT_EQ(blocks.event_headers, 1U);
  EXPECT_TRUE(date_places(blocks).empty()) << "it is too short for a date";
  synthetic::put_word(header, 0, 0xD41F8A37);
  synthetic::put_word(header, 4, 0x20000 | 1204);
  synthetic::put_word(header, 16, 1);  // a length of 42 bits: 2^30 bytes, which are not there
  EXPECT_EQ(blocks_of(header + std::string(100, 'x')).walked, 0U);
}

/// A telescope file's object that holds objects alone, as its length says.
std::string holder(const std::string& inner) {
  std::string object = synthetic::eventio_object(1204, inner);
  synthetic::put_word(object, 12, static_cast<std::uint32_t>(inner.size()) | 0x40000000U);
  return object;
}

TEST(EventioGap, LengthsOfInnerObjectsAddUp) {
  const std::string light =
      synthetic::eventio_object(1205, std::string(40, 'p')).substr(4);  // without a mark
  EXPECT_EQ(eventio_gap(synthetic::telescope_file(261121, "", 2) + holder(light + light)), "");
  std::string longer = light;
  synthetic::put_word(longer, 8, 44);  // four bytes of the next one
  for (const std::string& broken : {holder(light + light.substr(0, 30)), holder(light + light).substr(0, 90),
                                    holder(longer + light), synthetic::telescope_file(261121) + "rest"})
    EXPECT_NE(eventio_gap(broken), "");
}

TEST(OutputBlocks, TellWhereHeadersAndCardsAre) {
  const std::string particle = synthetic::particle_file(261121, 273, 2);
  const FileBlocks blocks = blocks_of(particle);
  ASSERT_EQ(blocks.runs.size(), 1U);
  ASSERT_EQ(blocks.events.size(), 2U);
  EXPECT_EQ(header_word(particle, blocks.runs[0], 3), 261121);
  for (const auto& [word, value] : {std::pair{45, 261121}, {274, 0}, {0, 0}})
    EXPECT_EQ(header_word(particle, blocks.events[1], static_cast<std::uint64_t>(word)), value);
  const std::string telescope = synthetic::telescope_file(261121, "card", 2);
  const FileBlocks light = blocks_of(telescope);
  ASSERT_EQ(light.cards.size(), 1U);
  EXPECT_EQ(telescope.substr(light.cards[0].payload, light.cards[0].end - light.cards[0].payload), "card");
  EXPECT_EQ(header_word(telescope, light.events.at(1), 45), 261121);
}

}  // namespace
}  // namespace overlay
