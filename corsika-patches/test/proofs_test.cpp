#include "corsika_patches/proofs.h"

#include <gtest/gtest.h>

#include "sample_tree.h"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

using namespace corsika_patches;

namespace {

const std::string kProof =
    R"({"cherenkov_proof":1,"stage":"1.0","routines":{"CERENK":"aa","hit_":"bb"},"options":["SLANT","__IACT__"],)"
    R"("tier":"whole","steps":10000000,"kinds":{"hits":3},"result":"equal"})";

std::vector<Proof> read(const std::string& text) {
  const support::TemporaryFolder folder("corsika-patches-test");
  folder.write("proof.json", text);
  return read_proofs(folder.path() / "proof.json");
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const support::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST(Proofs, AreReadOneByOneAndAsAList) {
  const auto one = read(kProof);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].routines.at("hit_"), "bb");
  EXPECT_EQ(one[0].options, (std::set<std::string>{"__IACT__", "__SLANT__"}));
  EXPECT_EQ(one[0].steps, 10000000U);
  EXPECT_EQ(read("[" + kProof + "," + kProof + "]").size(), 2U);
  EXPECT_TRUE(read("[]").empty());
}

TEST(Proofs, OthersAreRefused) {
  EXPECT_NE(error_of(sample::swapped(kProof, "\"equal\"", "\"different\"")).find("did not end equal"),
            std::string::npos);
  EXPECT_NE(error_of(sample::swapped(kProof, "10000000", "0")).find("compared nothing"), std::string::npos);
  EXPECT_NE(
      error_of(sample::swapped(kProof, "\"cherenkov_proof\":1", "\"cherenkov_proof\":2")).find("no proof"),
      std::string::npos);
  for (const std::string text : {"", "{", "{}", "7", "{\"release\": null}"})
    EXPECT_NE(error_of(text).find("give --proven a file"), std::string::npos) << text;
  EXPECT_NE(
      error_of(sample::swapped(kProof, "\"options\":[\"SLANT\",\"__IACT__\"],", "")).find("not readable"),
      std::string::npos);
  EXPECT_THROW(read_proofs("/no/such/proof.json"), support::Error);
}
