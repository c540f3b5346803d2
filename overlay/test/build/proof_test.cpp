// Proofs as files: what is written is read back, and a proof holds for its own build alone.
#include <cstdlib>

#include "folder_test.hpp"
#include "overlay/build/cherenkov_stage.hpp"

namespace overlay {
namespace {

/// A proof, and the user's own list in a folder of this test.
class Proofs : public FolderTest {
 protected:
  Proofs() {
    setenv("XDG_CONFIG_HOME", (folder.path() / "config").c_str(), 1);
    proof.stage = "0.1.0+abc";
    proof.sources = std::string(64, 'a');
    proof.options = {"SLANT", "IACT", "ATMEXT"};
    proof.compiler = "gfortran 12; gcc 12";
    proof.flags = "-O2";
    proof.more = {{"corsika", "7.7410"}};
    proof.made = "2026-11-22 14:00 UTC";
    proof.steps = 1000;
    proof.kinds = {{"one_bunch", 30}, {"over_100", 4}};
  }
  ~Proofs() override { unsetenv("XDG_CONFIG_HOME"); }
  const fs::path builds = folder.write("builds/other", "").parent_path();
  Proof proof;
};

TEST_F(Proofs, AreReadAsTheyWereWrittenAndOtherFilesAreNone) {
  const auto read_as = [&](const std::string& text) {
    return read_proof(folder.write("proof.json", text), proof);
  };
  const auto read = read_as(proof_text(proof));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->steps, 1000U);
  EXPECT_EQ(read->made, proof.made);
  EXPECT_EQ(read->failure, "");
  const auto json = nlohmann::json::parse(proof_text(proof));
  EXPECT_EQ(json.at("kinds").at("over_100"), 4);
  EXPECT_EQ(json.at("more").at("corsika"), "7.7410");
  for (const char* change : {R"({"sources": null})", R"({"steps": 1e300})", R"({"steps": -1})",
                             R"({"steps": 1.5})", R"({"steps": "1000"})"}) {
    auto other = json;
    other.merge_patch(nlohmann::json::parse(change));
    EXPECT_FALSE(read_as(other.dump())) << change;
  }
  for (const char* none : {"{}", "not JSON"}) EXPECT_FALSE(read_as(none)) << none;
}

TEST_F(Proofs, HoldForExactlyTheirBuild) {
  const auto holds_for = [&](const Proof& written, const Proof& conditions) {
    return read_proof(folder.write("proof.json", proof_text(written)), conditions).has_value();
  };
  EXPECT_TRUE(holds_for(proof, proof));
  for (const auto change :
       {+[](Proof& c) { c.stage += "1"; }, +[](Proof& c) { c.sources[0] = 'b'; },
        +[](Proof& c) { c.options.insert("CEFFIC"); }, +[](Proof& c) { c.options.erase("IACT"); },
        +[](Proof& c) { c.compiler = "gfortran 14; gcc 14"; }, +[](Proof& c) { c.flags = "-O3"; }}) {
    Proof other = proof;
    change(other);
    EXPECT_FALSE(holds_for(proof, other));
  }
  Proof nothing = proof;
  nothing.steps = 0;
  EXPECT_FALSE(holds_for(nothing, proof));
  nothing.failure = "run 1: something";
  EXPECT_TRUE(holds_for(nothing, proof)) << "a failure is remembered";
  nothing.sources.clear();
  EXPECT_FALSE(holds_for(nothing, nothing)) << "of no sources";
}

TEST_F(Proofs, AreFoundBesideTheBuildAndInTheUsersOwnListTheLastOneAlone) {
  const auto other = folder.path() / "other";
  EXPECT_FALSE(proof_for(proof, builds));
  EXPECT_EQ(remember(proof, builds), builds / "cherenkov-proof.json");
  EXPECT_EQ(proof_for(proof, builds)->steps, 1000u);
  EXPECT_EQ(proof_for(proof, other)->steps, 1000u) << "in the user's own list";
  Proof changed = proof;
  changed.flags = "-O3";
  EXPECT_FALSE(proof_for(changed, builds));
  folder.write("builds/cherenkov-proof.json", "[]");
  EXPECT_EQ(proof_for(proof, builds)->steps, 1000u) << "what is no proof is passed over";
  remember(proof, builds);
  proof.steps = 7;  // what was checked before the difference
  proof.failure = "run 3: cherenkov: check: step 12";
  remember(proof, builds);
  EXPECT_EQ(proof_for(proof, builds)->failure, proof.failure);
  EXPECT_EQ(proof_for(proof, folder.path())->failure, proof.failure);
}

}  // namespace
}  // namespace overlay
