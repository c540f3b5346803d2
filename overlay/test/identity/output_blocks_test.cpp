// Blocks of output files, whole and broken. Bytes of any kind: validation/fuzz/targets/outputs.cpp.
#include "overlay/identity/output_blocks.hpp"

#include <gtest/gtest.h>

#include <string>

#include "overlay/identity/identity.hpp"
#include "synthetic_files.hpp"

namespace overlay {
namespace {

TEST(OutputBlocks, AreCounted) {
  for (const FileBlocks& blocks :
       {blocks_of(synthetic::particle_file(261121, 273, 3)),
        blocks_of(synthetic::particle_file(261121, 312, 3)),
        blocks_of(synthetic::telescope_file(261121, "", 3)), blocks_of(synthetic::standin_file(3))}) {
    EXPECT_EQ(blocks.run_headers, 1U);
    EXPECT_EQ(blocks.event_headers, 3U);
    EXPECT_EQ(blocks.event_ends, 3U);
    EXPECT_EQ(blocks.run_ends, 1U);
    EXPECT_EQ(blocks.events_without_light, 0U);
  }
}

TEST(OutputBlocks, ARecordEndsWithItsLength) {
  std::string bytes = synthetic::particle_file(261121);
  EXPECT_EQ(blocks_of(bytes).walked, bytes.size());
  bytes[bytes.size() - 4] = static_cast<char>(bytes[bytes.size() - 4] ^ 1);
  EXPECT_EQ(blocks_of(bytes).walked, 0U);
  EXPECT_EQ(blocks_of(bytes).event_headers, 0U);
}

TEST(OutputBlocks, AHeaderThatIsTooShortForADateHasNone) {
  std::string payload(20, '\0');
  std::memcpy(payload.data() + 4, "EVTH", 4);
  const FileBlocks blocks = blocks_of(synthetic::eventio_object(1202, payload) + std::string(400, 'x'));
  EXPECT_EQ(blocks.event_headers, 1U);
  EXPECT_TRUE(date_places(blocks).empty());
}

TEST(OutputBlocks, ALengthOf42BitsIsNotTruncated) {
  std::string header(20, '\0');
  synthetic::put_word(header, 0, 0xD41F8A37);
  synthetic::put_word(header, 4, 0x20000 | 1204);
  synthetic::put_word(header, 16, 1);  // 2^30 bytes, which are not there
  EXPECT_EQ(blocks_of(header + std::string(100, 'x')).walked, 0U);
}

TEST(OutputBlocks, ComparisonOfBrokenFilesFindsEveryDifference) {
  const std::string whole = synthetic::telescope_file(261121, "", 2);
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    const std::string cut = whole.substr(0, size);
    EXPECT_FALSE(compare_bytes("telescope.dat", whole, cut).equal) << size;
    EXPECT_FALSE(compare_bytes("telescope.dat", cut, whole).equal) << size;
    EXPECT_TRUE(compare_bytes("telescope.dat", cut, cut).equal) << size;
  }
}

/// An object within an eventio object: it has no mark of its own.
std::string inner_object(std::uint32_t type, const std::string& payload) {
  return synthetic::eventio_object(type, payload).substr(4);
}

/// A telescope file's object that holds objects alone, as its length says.
std::string holder(const std::string& inner) {
  std::string object = synthetic::eventio_object(1204, inner);
  synthetic::put_word(object, 12, static_cast<std::uint32_t>(inner.size()) | 0x40000000U);
  return object;
}

TEST(EventioGap, LengthsOfInnerObjectsAddUp) {
  const std::string light = inner_object(1205, std::string(40, 'p'));
  EXPECT_EQ(eventio_gap(synthetic::telescope_file(261121, "", 2) + holder(light + light)), "");
  EXPECT_NE(eventio_gap(holder(light + light.substr(0, 30))), "");
  EXPECT_NE(eventio_gap(holder(light + light).substr(0, 90)), "");
  std::string longer = light;
  synthetic::put_word(longer, 8, 44);  // four bytes of the next one
  EXPECT_NE(eventio_gap(holder(longer + light)), "");
  EXPECT_NE(eventio_gap(synthetic::telescope_file(261121) + "rest"), "");
}

TEST(OutputBlocks, TellWhereHeadersAndCardsAre) {
  const std::string particle = synthetic::particle_file(261121, 273, 2);
  const FileBlocks blocks = blocks_of(particle);
  ASSERT_EQ(blocks.runs.size(), 1U);
  ASSERT_EQ(blocks.events.size(), 2U);
  EXPECT_EQ(header_word(particle, blocks.runs[0], 3), 261121);
  EXPECT_EQ(header_word(particle, blocks.events[1], 45), 261121);
  EXPECT_EQ(header_word(particle, blocks.events[1], 274), 0);
  EXPECT_EQ(header_word(particle, blocks.events[1], 0), 0);
  const std::string telescope = synthetic::telescope_file(261121, "card", 2);
  const FileBlocks light = blocks_of(telescope);
  ASSERT_EQ(light.cards.size(), 1U);
  EXPECT_EQ(telescope.substr(light.cards[0].payload, light.cards[0].end - light.cards[0].payload), "card");
  EXPECT_EQ(header_word(telescope, light.events.at(1), 45), 261121);
}

}  // namespace
}  // namespace overlay
