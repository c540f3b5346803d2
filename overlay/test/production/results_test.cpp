// Published runs: their manifests, packed files, who comes second, what was changed since, and what is set
// aside.

#include <sys/resource.h>

#include <array>
#include <csignal>
#include <cstring>
#include <limits>
#include <random>

#include "example.hpp"

namespace overlay {
namespace {

RunManifest odd_manifest() {
  RunManifest manifest;
  manifest.run = 999'999'999;
  manifest.setting = 3;
  manifest.showers = 2000;
  manifest.seeds = {{900'000'000, 999'999'999, 17'000}, {1, 0, 0}};
  manifest.production = "with \"quotes\", \\ and /";
  manifest.processor = "ends\tin\nlines\r\b\f\x01 and \x1f";
  manifest.host = "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80";  // two, three and four bytes
  manifest.cost.began = "2026-11-22T20:15:00Z";
  manifest.cost.wall_s = 0.1;
  manifest.cost.user_s = 40;
  manifest.cost.system_s = 1e-300;
  manifest.cost.peak_rss_kib = -1;
  manifest.files = {{"telescope.dat", "000101.telescope.dat.zst", 1, 2, "a", "b"}, {}};
  manifest.files.back().bytes = std::numeric_limits<std::uint64_t>::max();
  manifest.cherenkov = {{"bunches", "12"}, {"a \"key\"", "}],"}};
  return manifest;
}

const std::string kSum = ",\n  \"sha256\": \"";
/// A part of a manifest's text with the checksum that belongs to it.
std::string with_sum(const std::string& part) {
  return part + kSum + support::sha256_of_text(part) + "\"\n}\n";
}

class Manifest : public FolderTest {
 protected:
  RunManifest read(const std::string& text) const { return read_manifest(folder.write("1.json", text)); }

  const std::string text = manifest_text(odd_manifest()), summed = text.substr(0, text.rfind(kSum));
};

TEST_F(Manifest, WhatIsWrittenIsReadBack) {
  auto got = read(text);
  EXPECT_EQ(manifest_text(got), text);
  EXPECT_EQ(got.host, odd_manifest().host);
  EXPECT_EQ(got.cost.system_s, 1e-300);
  EXPECT_EQ(got.files.at(1).bytes, odd_manifest().files[1].bytes);
  got.substitutes = {"B stands in for A"};
  EXPECT_EQ(read(manifest_text(got)).substitutes, got.substitutes);
}

TEST_F(Manifest, AChangedByteIsSeen) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = static_cast<char>(other[at] ^ 1);
    EXPECT_ERROR("is damaged", read(other)) << at;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, text.size() / 2, text.size() - 1})
    EXPECT_ERROR("is damaged", read(text.substr(0, size))) << size;
  EXPECT_ERROR("is damaged", read(text + " "));
}

TEST_F(Manifest, OtherTextIsNoManifest) {
  const char* const no_manifest = "is no manifest";
  const std::array<const char*, 3> changes[] = {
      {"\"format\": 3", "\"format\": 4", "1.json has format 4; this program reads format 3"},
      {"\"format\": 3", "\"format\": \"3\"", no_manifest},
      {"\"setting\"", "\"sitting\"", no_manifest},
      {"2000", "2000.5", no_manifest},
      {"2000", "99999999999999999999", no_manifest},
      {"\"host\"", "\"most\"", no_manifest},
      {"\\u0001", "\\ud801", no_manifest},
      {"\"cost\"", "\"most\"", no_manifest},
      {"40.0", "null", no_manifest},
      {"18446744073709551615", "-1", no_manifest}};
  for (const auto& [from, to, why] : changes) {
    auto other = summed;
    other.replace(other.find(from), std::strlen(from), to);
    EXPECT_ERROR(why, read(with_sum(other))) << from << " " << to;
  }
  for (std::size_t size = 0; size < summed.size(); ++size)  // every place where the text may end
    EXPECT_ERROR(no_manifest, read(with_sum(summed.substr(0, size)))) << size;
}

/// Bytes that zstd cannot shorten much.
std::string noise(std::size_t size) {
  std::string bytes(size, '\0');
  std::mt19937 random;
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

using PackedFile = FolderTest;

TEST_F(PackedFile, ComesBackWhole) {
  constexpr std::size_t kMebi = 1 << 20;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kMebi, kMebi + 1, 2 * kMebi + 7}) {
    const auto packed = folder.path() / (std::to_string(size) + ".zst");
    const auto written = pack_file(noise(size), packed);
    EXPECT_EQ(written, fs::file_size(packed));
    EXPECT_EQ(unpacked_sha256(packed), support::sha256_of_text(noise(size)));
  }
}

TEST_F(PackedFile, AnyChangedOrMissingByteIsSeen) {
  pack_file(noise(5000), folder.path() / "whole");
  const std::string whole = folder.read("whole"), sum = support::sha256_of_text(noise(5000));
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    for (const auto& bytes : {changed, whole.substr(0, at)}) {
      const auto file = folder.write("other", bytes);
      std::string found;
      EXPECT_TRUE(error_of([&] { found = unpacked_sha256(file); }) != "" || found != sum) << at;
      EXPECT_TRUE(bytes == changed || found.empty()) << "cut off: " << at;
    }
  }
}

TEST_F(PackedFile, IsNotCompressedTwice) {
  const auto light = folder.write("light", noise(5000)), packed = folder.path() / "packed";
  pack_file(noise(5000), packed);
  const auto published = [&](const std::map<std::string, fs::path>& outputs) {
    const support::TemporaryFolder stage(folder.path(), "stage");
    std::string names;
    for (const auto& file : pack_outputs(outputs, 101, stage.path())) {
      EXPECT_EQ(unpacked_sha256(stage.path() / file.published), file.sha256);
      names += file.published + " ";
    }
    return names;
  };
  EXPECT_EQ(published({{"a.zst", packed}, {"b.zst", light}}), "000101.a.zst 000101.b.zst.zst ");
  EXPECT_EQ(published({{"a", light}, {"a.zst", packed}}), "000101.a.zst 000101.a.zst.zst ");
  support::run({.argv = {"gzip", "--keep", light.string()}});
  EXPECT_EQ(published({{"a.gz", light.string() + ".gz"}, {"a.zst", packed}}),
            "000101.a.zst 000101.a.zst.zst ");
  EXPECT_EQ(published({{"a/b", light}, {"a_b", light}}), "000101.a_b.zst 000101.a_b_.zst ");
}

TEST_F(PackedFile, AFileThatIsThereIsNotReplaced) {
  const auto file = folder.write("there", "mine");
  EXPECT_ERROR("cannot write", pack_file("other", file));
  EXPECT_EQ(folder.read("there"), "mine");
}

TEST_F(PackedFile, OneThatIsNotWholeIsRemoved) {
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit little{1000, old.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &little);
  EXPECT_ERROR("cannot write", pack_file(noise(1 << 20), folder.path() / "part"));
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(fs::exists(folder.path() / "part"));
}

class Publish : public Production {
 protected:
  RunState state_of(std::int64_t run, VerifyDepth depth = VerifyDepth::digests) const {
    return verify_run(plan, run, depth);
  }
  std::vector<std::string> names_in(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(path / name))
      if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(Publish, WhatThePlansCommandMadeIsNotCompared) {
  const auto made = [](const std::string& what) {
    return [what](RunManifest& manifest) {
      for (auto& file : manifest.files)
        if (file.name == "log") file = {"run.simtel", "000101.log.zst", 1, file.packed_bytes, what, ""};
    };
  };
  EXPECT_TRUE(make(101, "light", made("at noon")));
  EXPECT_FALSE(make(101, "light", made("at one")));
  EXPECT_ERROR("has other content", make(101, "dark", made("at one")));
}

TEST_F(Publish, WhoComesSecondAgreesAndLeavesNoTraceOrBothAreSetAside) {
  EXPECT_EQ(state_of(101).state, kMissing);
  for (const int run : {101, 102}) EXPECT_TRUE(make(run, "light"));
  const RunState found = state_of(101);
  EXPECT_EQ(found.state, kPublished) << found.reason;
  EXPECT_EQ(found.manifest->files.at(1).sha256, support::sha256_of_text("light"));
  const std::string manifest = folder.read("results/000/000101.json");
  const auto published = names_in("results");
  EXPECT_EQ(published.size(), 6U);
  EXPECT_FALSE(make(101, "light"));
  EXPECT_EQ(names_in("results"), published);
  EXPECT_EQ(folder.read("results/000/000101.json"), manifest);
  EXPECT_ERROR("telescope.dat has other content", make(101, "other"));
  EXPECT_EQ(state_of(101).state, kMissing);
  EXPECT_EQ(state_of(102).state, kPublished);
  EXPECT_EQ(
      names_in("quarantine"),
      (std::vector<std::string>{"000101.log.zst", "000101.log.zst", "000101.telescope.dat.zst",
                                "000101.telescope.dat.zst", "manifest.json", "manifest.json", "reason.txt"}));
  EXPECT_TRUE(make(101, "light"));
  fs::remove(path / "results/000/000101.telescope.dat.zst");
  EXPECT_EQ(state_of(101, VerifyDepth::sizes).reason, "000101.telescope.dat.zst is missing");
}

TEST_F(Publish, FilesWithoutAManifestDoNotStandInTheWay) {
  // What a worker left that was killed before it published its manifest: one file the same, one not.
  folder.write("results/000/000101.log.zst", "half");
  pack_file("light", path / "results/000/000101.telescope.dat.zst");
  EXPECT_TRUE(make(101, "light"));
  EXPECT_EQ(state_of(101).state, kPublished) << state_of(101).reason;
  EXPECT_EQ(folder.read("results/000/000101.log.zst"), "half");
}

TEST_F(Publish, ARunOfOtherSeedsShowersOrPlanIsNotThePlans) {
  const auto expect = [&](std::int64_t run, const std::string& why) {
    EXPECT_EQ(state_of(run).state, kRejected);
    EXPECT_EQ(state_of(run).reason, why);
  };
  make(101, "light", [](RunManifest& manifest) { ++manifest.seeds.at(3).calls; });
  expect(101, "its manifest has other seeds than the plan");
  make(102, "light", [](RunManifest& manifest) { ++manifest.showers; });
  expect(102, "its manifest has 3 showers; the plan has 2");
  plan.digest = "of another plan";
  expect(102, "its manifest is of another production, or of an earlier plan");
}

TEST_F(Publish, AManifestOfAnotherFormatIsNoRejectedRun) {
  make(101, "light");
  auto text = folder.read("results/000/000101.json");
  text.resize(text.rfind(kSum));
  text.replace(text.find("\"format\": 3"), 11, "\"format\": 2");
  fs::remove(path / "results/000/000101.json");
  folder.write("results/000/000101.json", with_sum(text));
  EXPECT_ERROR("000101.json has format 2; this program reads format 3", state_of(101));
}

}  // namespace
}  // namespace overlay
