// Proofs as files: what is written is read back, and a proof holds for its own build alone.
#include "overlay/proof/proof.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "error_of.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

Proof example() {
  Proof proof;
  proof.conditions = {"0.1.0+abc", {"SLANT", "IACT", "ATMEXT"}, "gfortran 12; gcc 12", "-O2", "-O2"};
  proof.routines = {{"CERENK", std::string(64, 'a')}, {"telout_", std::string(64, 'b')}};
  proof.selected = {"ATMEXT", "IACT", "SLANT", "CERENKOV"};
  proof.tier = "whole";
  proof.corsika = "7.7410";
  proof.libm = "glibc 2.36";
  proof.processor = "a processor";
  proof.made = "2026-11-22 14:00 UTC";
  proof.runs = {{"1: 2 gamma of 300 GeV", "RUNNR 1\nEXIT\n", 400}, {"2: 1 iron", "RUNNR 1\n", 600}};
  proof.steps = 1000;
  proof.kinds = {{"one_bunch", 30}, {"over_100", 4}};
  proof.cpu_s = {{"stock", 2.5}, {"check", 5.}};
  return proof;
}

/// The user's own list in a folder of this test.
class Proofs : public ::testing::Test {
 protected:
  Proofs() {
    if (const char* set = std::getenv("XDG_CONFIG_HOME")) before_ = set;
    setenv("XDG_CONFIG_HOME", (folder.path() / "config").c_str(), 1);
  }
  ~Proofs() override {
    if (before_.empty())
      unsetenv("XDG_CONFIG_HOME");
    else
      setenv("XDG_CONFIG_HOME", before_.c_str(), 1);
  }
  support::TemporaryFolder folder;

 private:
  std::string before_;
};

TEST_F(Proofs, CountsAreWholeNumbers) {
  for (const char* wrong : {"1e300", "-1", "1.5", "\"1000\""}) {
    auto text = nlohmann::json::parse(proof_text(example()));
    text["steps"] = nlohmann::json::parse(wrong);
    EXPECT_THROW(read_proof(folder.write("proof.json", text.dump())), support::Error) << wrong;
    text = nlohmann::json::parse(proof_text(example()));
    text["kinds"]["one_bunch"] = nlohmann::json::parse(wrong);
    EXPECT_THROW(read_proof(folder.write("proof.json", text.dump())), support::Error) << wrong;
  }
}

TEST_F(Proofs, AreReadAsTheyWereWritten) {
  const Proof written = example();
  const Proof read = read_proof(folder.write("proof.json", proof_text(written)));
  EXPECT_EQ(proof_text(read), proof_text(written));
  EXPECT_TRUE(holds_for(read, written.conditions));
  EXPECT_EQ(read.routines, written.routines);
  EXPECT_EQ(read.runs[1].card, "RUNNR 1\n");
  EXPECT_EQ(read.kinds, written.kinds);
  EXPECT_EQ(read.cpu_s, written.cpu_s);
}

// corsika-patch reads these with its own reader.
TEST_F(Proofs, HaveTheFieldsThatThePatcherReads) {
  const auto json = nlohmann::json::parse(proof_text(example()));
  EXPECT_EQ(json.at("cherenkov_proof"), 1);
  EXPECT_EQ(json.at("result"), "equal");
  EXPECT_EQ(json.at("steps"), 1000);
  EXPECT_EQ(json.at("routines").at("CERENK"), std::string(64, 'a'));
  EXPECT_EQ(json.at("options"), (nlohmann::json{"ATMEXT", "CERENKOV", "IACT", "SLANT"}));
}

TEST_F(Proofs, OtherFilesAreRefusedInOneLine) {
  const auto error = [&](const std::string& text) {
    const auto file = folder.write("other.json", text);
    return error_of([&] { read_proof(file); });
  };
  EXPECT_NE(error("{}").find("no proof of the Cherenkov stage"), std::string::npos);
  EXPECT_NE(error("not JSON").find("no proof of the Cherenkov stage"), std::string::npos);
  auto json = nlohmann::json::parse(proof_text(example()));
  json["result"] = "different";
  EXPECT_NE(error(json.dump()).find("no proof that ended well"), std::string::npos);
  json["result"] = "equal";
  json["cherenkov_proof"] = 2;
  EXPECT_NE(error(json.dump()).find("no proof that ended well"), std::string::npos);
  json = nlohmann::json::parse(proof_text(example()));
  json.erase("routines");
  EXPECT_NE(error(json.dump()).find("no proof of the Cherenkov stage"), std::string::npos);
}

TEST_F(Proofs, HoldForExactlyTheirBuild) {
  const Proof proof = example();
  ProofConditions same = proof.conditions;
  same.options = {"ATMEXT", "SLANT", "IACT"};
  EXPECT_TRUE(holds_for(proof, same));
  for (const auto change :
       {+[](ProofConditions& c) { c.stage += "1"; },
        +[](ProofConditions& c) { c.options.push_back("CEFFIC"); },
        +[](ProofConditions& c) { c.options.pop_back(); },
        +[](ProofConditions& c) { c.compiler = "gfortran 14; gcc 14"; },
        +[](ProofConditions& c) { c.fflags = "-O3"; }, +[](ProofConditions& c) { c.cflags = ""; }}) {
    ProofConditions other = proof.conditions;
    change(other);
    EXPECT_FALSE(holds_for(proof, other));
  }
  Proof nothing = proof;
  nothing.steps = 0;
  EXPECT_FALSE(holds_for(nothing, proof.conditions));
}

TEST_F(Proofs, AreFoundBesideTheBuildAndInTheUsersOwnList) {
  const Proof proof = example();
  const auto builds = folder.path() / "builds";
  EXPECT_TRUE(proofs_for(proof.conditions, builds).empty());
  folder.write("builds/cherenkov-proof.json", proof_text(proof));
  const auto own = remember(proof);
  EXPECT_EQ(own.parent_path(), folder.path() / "config/overlay/proofs");
  folder.write("config/overlay/proofs/a-note.json", "[]");
  EXPECT_EQ(proofs_for(proof.conditions, builds),
            (std::vector<std::filesystem::path>{builds / "cherenkov-proof.json", own}));
  ProofConditions other = proof.conditions;
  other.fflags = "-O3";
  EXPECT_TRUE(proofs_for(other, builds).empty());
}

TEST_F(Proofs, OfTheSameRoutinesAndBuildReplaceEachOther) {
  Proof proof = example();
  const auto first = remember(proof);
  proof.steps = 2000;
  proof.made = "later";
  EXPECT_EQ(remember(proof), first);
  EXPECT_EQ(read_proof(first).steps, 2000u);
  proof.routines["CERENK"] = std::string(64, 'c');
  EXPECT_NE(remember(proof), first);
}

TEST_F(Proofs, AreForgottenOnceADifferenceWasFound) {
  Proof proof = example();
  const auto builds = folder.path() / "builds";
  const auto beside = folder.write("builds/cherenkov-proof.json", proof_text(proof));
  const auto own = remember(proof);
  Proof other = proof;
  other.routines["CERENK"] = std::string(64, 'c');
  const auto kept = remember(other);
  proof.steps = 7;  // what was checked before the difference
  forget(proof, builds);
  EXPECT_FALSE(std::filesystem::exists(beside));
  EXPECT_FALSE(std::filesystem::exists(own));
  EXPECT_TRUE(std::filesystem::exists(kept));
}

}  // namespace
}  // namespace overlay
