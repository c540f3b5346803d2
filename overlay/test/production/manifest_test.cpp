// Manifests: what is written is read back, and nothing else is read.
#include "overlay/production/manifest.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "error_of.hpp"
#include "support/checksum.hpp"
#include "support/files.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

RunManifest odd_manifest() {
  RunManifest manifest;
  manifest.run = 999'999'999;
  manifest.setting = 3;
  manifest.showers = 2000;
  manifest.starts = {{900'000'000, 999'999'999, 17'000}, {1, 0, 0}};
  manifest.production = "with \"quotes\", \\ and /";
  manifest.processor = "ends\tin\nlines\r\b\f\x01 and \x1f";
  manifest.host = "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80";  // two, three and four bytes
  manifest.cost.began = "2026-11-22T20:15:00Z";
  manifest.cost.wall_s = 0.1;
  manifest.cost.user_s = 40;
  manifest.cost.system_s = 1e-300;
  manifest.cost.peak_rss_kib = -1;
  manifest.cost.scratch_bytes = std::numeric_limits<std::uint64_t>::max();
  manifest.files = {{"telescope.dat", "000101.telescope.dat.zst", 1, 2, "a", "b", 3}, {}};
  manifest.cherenkov = {{"bunches", "12"}, {"a \"key\"", "}],"}};
  return manifest;
}

class Manifest : public ::testing::Test {
 protected:
  RunManifest read(const std::string& text) const { return read_manifest(folder.write("1.json", text)); }

  /// The text with something else in it, and with the checksum that belongs to it.
  static std::string changed(const std::string& from, const std::string& to) {
    std::string text = manifest_text(odd_manifest());
    text.replace(text.find(from), from.size(), to);
    const std::string sum = ",\n  \"sha256\": \"";
    text.erase(text.rfind(sum));
    return text + sum + support::sha256_of_text(text) + "\"\n}\n";
  }

  std::string error(const std::string& text) const {
    return error_of([&] { read(text); });
  }

  support::TemporaryFolder folder;
};

TEST_F(Manifest, WhatIsWrittenIsReadBack) {
  const auto wrote = odd_manifest();
  const std::string text = manifest_text(wrote);
  const auto got = read(text);
  EXPECT_EQ(manifest_text(got), text);
  EXPECT_EQ(got.run, wrote.run);
  EXPECT_EQ(got.starts, wrote.starts);
  EXPECT_EQ(got.production, wrote.production);
  EXPECT_EQ(got.processor, wrote.processor);
  EXPECT_EQ(got.host, wrote.host);
  EXPECT_EQ(got.cost.wall_s, wrote.cost.wall_s);
  EXPECT_EQ(got.cost.system_s, wrote.cost.system_s);
  EXPECT_EQ(got.cost.scratch_bytes, wrote.cost.scratch_bytes);
  ASSERT_EQ(got.files.size(), 2U);
  EXPECT_EQ(got.files[0].events, 3U);
  EXPECT_EQ(got.cherenkov, wrote.cherenkov);
  EXPECT_TRUE(got.generator.empty());
}

TEST_F(Manifest, AChangedByteIsSeen) {
  const std::string text = manifest_text(odd_manifest());
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = static_cast<char>(other[at] ^ 1);
    EXPECT_NE(error(other).find("is damaged"), std::string::npos) << at;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, text.size() / 2, text.size() - 1})
    EXPECT_NE(error(text.substr(0, size)).find("is damaged"), std::string::npos) << size;
  EXPECT_NE(error(text + " ").find("is damaged"), std::string::npos);
}

TEST_F(Manifest, AnotherFormatIsNamed) {
  EXPECT_NE(
      error(changed("\"format\": 2", "\"format\": 1")).find("has format 1; this program reads format 2"),
      std::string::npos);
}

TEST_F(Manifest, OtherTextIsNoManifest) {
  const std::pair<const char*, const char*> changes[] = {{"\"setting\"", "\"sitting\""},
                                                         {"2000", "2000.5"},
                                                         {"2000", "20x0"},
                                                         {"2000", "99999999999999999999"},
                                                         {"\"host\"", "\"most\""},
                                                         {"\\u0001", "\\ud801"},
                                                         {"\\u0001", "\\u00"},
                                                         {"\\u0001", "\\q"},
                                                         {"\"cost\"", "\"most\""},
                                                         {"40.0", "null"},
                                                         {"18446744073709551615", "-1"}};
  for (const auto& [from, to] : changes)
    EXPECT_NE(error(changed(from, to)).find("is no manifest"), std::string::npos) << from << " " << to;
  // Every place where the text may end.
  const std::string text = manifest_text(odd_manifest()), sum = ",\n  \"sha256\": \"";
  for (std::size_t size = 0; size < text.rfind(sum); ++size) {
    const std::string part = text.substr(0, size);
    const std::string said = error(part + sum + support::sha256_of_text(part) + "\"\n}\n");
    EXPECT_NE(said.find("is no manifest"), std::string::npos) << size;
  }
}

}  // namespace
}  // namespace overlay
