// Published runs: their manifests, packed files, who comes second, what was changed since, and what is set
// aside.

#include <fstream>
#include <limits>

#include "error_of.hpp"
#include "example.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

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
  auto wrote = odd_manifest();
  const std::string text = manifest_text(wrote);
  const auto got = read(text);
  EXPECT_EQ(manifest_text(got), text);
  EXPECT_EQ(got.host, wrote.host);
  EXPECT_EQ(got.cost.system_s, wrote.cost.system_s);
  EXPECT_EQ(got.cost.scratch_bytes, wrote.cost.scratch_bytes);
  EXPECT_EQ(got.files.at(0).events, 3U);
  EXPECT_FALSE(has(text, "substitutes")) << "where there are none, it is as it was before there were any";
  wrote.substitutes = {"B stands in for A"};
  EXPECT_EQ(read(manifest_text(wrote)).substitutes, wrote.substitutes);
}

TEST_F(Manifest, AChangedByteIsSeen) {
  const std::string text = manifest_text(odd_manifest());
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = static_cast<char>(other[at] ^ 1);
    EXPECT_TRUE(has(error(other), "is damaged")) << at;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, text.size() / 2, text.size() - 1})
    EXPECT_TRUE(has(error(text.substr(0, size)), "is damaged")) << size;
  EXPECT_TRUE(has(error(text + " "), "is damaged"));
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
    EXPECT_TRUE(has(error(changed(from, to)), "is no manifest")) << from << " " << to;
  EXPECT_TRUE(
      has(error(changed("\"format\": 2", "\"format\": 1")), "has format 1; this program reads format 2"));
  // Every place where the text may end.
  const std::string text = manifest_text(odd_manifest()), sum = ",\n  \"sha256\": \"";
  for (std::size_t size = 0; size < text.rfind(sum); ++size) {
    const std::string part = text.substr(0, size);
    const std::string said = error(part + sum + support::sha256_of_text(part) + "\"\n}\n");
    EXPECT_TRUE(has(said, "is no manifest")) << size;
  }
}

/// Bytes that zstd cannot shorten much.
std::string noise(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint64_t state = 1;
  for (char& c : bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    c = static_cast<char>(state >> 56);
  }
  return bytes;
}

TEST(PackedFile, ComesBackWhole) {
  const support::TemporaryFolder folder;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20,
                                 (std::size_t{1} << 20) + 1, (std::size_t{1} << 21) + 7}) {
    const std::string bytes = noise(size);
    const auto packed = folder.path() / (std::to_string(size) + ".zst");
    const std::uint64_t written = pack_file(bytes, packed);
    EXPECT_EQ(written, std::filesystem::file_size(packed));
    EXPECT_EQ(unpacked_sha256(packed), support::sha256_of_text(bytes));
  }
}

TEST(PackedFile, AnyChangedOrMissingByteIsSeen) {
  const support::TemporaryFolder folder;
  const std::string bytes = noise(5000);
  pack_file(bytes, folder.path() / "whole");
  const std::string whole = folder.read("whole");
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    const auto file = folder.write("changed", changed);
    std::string sum;
    const std::string error = error_of([&] { sum = unpacked_sha256(file); });
    EXPECT_TRUE(!error.empty() || sum != support::sha256_of_text(bytes)) << at;
    const auto cut = folder.write("cut", whole.substr(0, at));
    EXPECT_NE(error_of([&] { unpacked_sha256(cut); }), "") << at;
  }
}

TEST(PackedFile, IsNotCompressedTwice) {
  const support::TemporaryFolder folder;
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

TEST(PackedFile, AFileThatIsThereIsNotReplaced) {
  const support::TemporaryFolder folder;
  const auto file = folder.write("there", "mine");
  EXPECT_ERROR("cannot write", pack_file("other", file));
  EXPECT_EQ(folder.read("there"), "mine");
}

class Publish : public ::testing::Test {
 protected:
  Publish() { production.write("production.toml", "plan\n"); }

  /// An attempt whose light has these bytes; change: of its manifest. Whether it was the first.
  bool attempt(std::int64_t run, const std::string& light, const std::string& id,
               const std::function<void(RunManifest&)>& change = {}) {
    const support::TemporaryFolder work;
    const support::TemporaryFolder stage(production.path(), "stage");
    const std::map<std::string, std::filesystem::path> outputs{
        {"telescope.dat", work.write("telescope.dat", light)}, {"log", work.write("log", " END OF RUN\n")}};
    RunManifest manifest(plan, run);
    manifest.plan_sha256 = plan_digest(production.path());
    manifest.attempt = id;
    manifest.files = pack_outputs(outputs, run, stage.path());
    if (change) change(manifest);
    return publish(plan, production.path(), manifest, stage.path());
  }

  RunState state_of(std::int64_t run, VerifyDepth depth = VerifyDepth::digests) const {
    return verify_run(plan, production.path(), plan_digest(production.path()), run, depth);
  }

  std::vector<std::string> names_in(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(production.path() / folder))
      if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  ProductionPlan plan = example_plan();
  support::TemporaryFolder production;
};

using Names = std::vector<std::string>;
const Names kFilesOf101{"000101.json", "000101.log.zst", "000101.telescope.dat.zst"};

TEST_F(Publish, WhatThePlansCommandMadeIsNotCompared) {
  const auto made = [](const std::string& what) {
    return [what](RunManifest& manifest) {
      for (auto& file : manifest.files)
        if (file.name == "log") file = {"run.simtel", "000101.log.zst", 1, file.packed_bytes, what, "", 0};
    };
  };
  EXPECT_TRUE(attempt(101, "light", "first", made("at noon")));
  EXPECT_FALSE(attempt(101, "light", "second", made("at one")));
  EXPECT_ERROR("has other content", attempt(101, "dark", "third", made("at one")));
}

TEST_F(Publish, WhoComesSecondAgreesAndLeavesNoTrace) {
  EXPECT_EQ(state_of(101).state, kMissing);
  EXPECT_TRUE(attempt(101, "light", "first"));
  const RunState found = state_of(101);
  EXPECT_EQ(found.state, kPublished) << found.reason;
  EXPECT_EQ(found.manifest->files.at(1).sha256, support::sha256_of_text("light"));
  const std::string manifest = production.read("results/000/000101.json");
  EXPECT_FALSE(attempt(101, "light", "second"));
  EXPECT_EQ(names_in("results"), kFilesOf101);
  EXPECT_EQ(production.read("results/000/000101.json"), manifest);
}

TEST_F(Publish, TwoThatDisagreeAreBothSetAside) {
  attempt(101, "light", "first");
  attempt(102, "light", "other run");
  EXPECT_ERROR("telescope.dat has other content", attempt(101, "other", "second"));
  EXPECT_EQ(state_of(101).state, kMissing);
  EXPECT_EQ(state_of(102).state, kPublished);
  EXPECT_EQ(names_in("quarantine"),
            (Names{"000101.log.zst", "000101.log.zst", "000101.telescope.dat.zst", "000101.telescope.dat.zst",
                   "manifest.json", "manifest.json", "reason.txt"}));
  EXPECT_TRUE(attempt(101, "light", "third"));
  EXPECT_EQ(state_of(101).state, kPublished);
}

TEST_F(Publish, FilesWithoutAManifestDoNotStandInTheWay) {
  // What a worker left that was killed before it published its manifest: one file the same, one not.
  fs::create_directories(production.path() / "results/000");
  pack_file("light", production.path() / "results/000/000101.telescope.dat.zst");
  production.write("results/000/000101.log.zst", "half");
  EXPECT_TRUE(attempt(101, "light", "first"));
  EXPECT_EQ(state_of(101).state, kPublished) << state_of(101).reason;
  EXPECT_EQ(production.read("results/000/000101.log.zst"), "half");
}

TEST_F(Publish, AChangedByteIsSeenAndNamed) {
  attempt(101, std::string(3000, 'x') + "light", "first");
  const auto file = production.path() / "results/000/000101.telescope.dat.zst";
  std::string bytes = support::read_file(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_EQ(state_of(101, VerifyDepth::sizes).state, kPublished);
  const RunState found = state_of(101);
  EXPECT_EQ(found.state, kRejected);
  EXPECT_TRUE(has(found.reason, "000101.telescope.dat.zst"));
  fs::remove(file);
  EXPECT_EQ(state_of(101, VerifyDepth::sizes).reason, "000101.telescope.dat.zst is missing");
  set_aside(plan, production.path(), 101, found.reason);
  EXPECT_EQ(state_of(101).state, kMissing);
}

TEST_F(Publish, ARunOfOtherSeedsShowersOrPlanIsNotThePlans) {
  attempt(101, "light", "first", [](RunManifest& manifest) { ++manifest.starts.at(3).calls; });
  EXPECT_EQ(state_of(101).state, kRejected);
  EXPECT_EQ(state_of(101).reason, "its manifest has other seeds than the plan");
  attempt(102, "light", "first", [](RunManifest& manifest) { ++manifest.showers; });
  EXPECT_EQ(state_of(102).state, kRejected);
  EXPECT_TRUE(has(state_of(102).reason, "showers; the plan has"));
  production.write("production.toml", "other plan\n");
  EXPECT_EQ(state_of(102).reason, "its manifest is of another production, or of an earlier plan");
}

}  // namespace
}  // namespace overlay
