
#include "overlay/build/cherenkov_stage.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "error_of.hpp"
#include "overlay/build/steps.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

const std::string kCall = "      CALL CHRRUN( CHRTIR )\n";

CherenkovStage of(const std::string& stage, const std::string& calls = kCall, bool asked = true) {
  const support::TemporaryFolder build;
  build.write("tree/src/corsikacompilefile.f", calls);
  write_settings(build.path(), {{"stage", asked}});
  build.write("sources.txt", "abc\n");
  build.write("manifest.json",
              R"({"stages": [{"name": "other", "covered": "none"}, {"name": "cherenkov", )" + stage + "}]}");
  return stage_of_build(build.path());
}

TEST(CherenkovStage, SaysWhatIsCoveredAndThatNobodyHasProvenIt) {
  const auto whole = of(R"("covered": "whole")");
  EXPECT_EQ(whole.text(), "whole loop, not proven (overlay prove --cherenkov does that)");
  EXPECT_EQ(whole.sources, "abc");
  EXPECT_FALSE(whole.works);
  auto bunches = of(R"("covered": "bunches", "reason": "option NOCLONG needs the loop")");
  bunches.works = true, bunches.why = "known";
  EXPECT_EQ(bunches.text(), "bunch by bunch, known: option NOCLONG needs the loop");
}

TEST(CherenkovStage, WhyNothingIsCovered) {
  EXPECT_EQ(of(R"("covered": "none", "reason": "option IACT is not chosen")", "").text(),
            "not covered: option IACT is not chosen");
  EXPECT_PRED2(holds, of(R"("covered": "whole")", "", false).text(), "-ffp-contract=off");
  EXPECT_FALSE(of(R"("covered": "whole")", "      CALL CHRCER( STEPCR )\n").is_covered());
}

TEST(CherenkovStage, WhatCannotBeReadIsAnError) {
  const support::TemporaryFolder folder;
  folder.write("manifest.json", "{");
  EXPECT_PRED2(holds, error_of([&] { stage_of_build(folder.path()); }), "build again");
  EXPECT_PRED2(holds, error_of([&] { sources_digest("{}", folder.path()); }), "lists no sources");
}

/// A tree's digest with the objects given, where the source `changed` has another text.
std::string digest(const std::vector<std::string>& objects, const std::string& changed = "") {
  const support::TemporaryFolder tree;
  for (const auto& object : objects) tree.write(object, "");
  std::string list;
  for (const std::string path : {"include/a.h", "iact/iact.c", "iact/iact.h", "other/x.f", "other/x.inc",
                                 "src/corsika.F", "src/model.f"})
    list += std::string(list.empty() ? "" : ",") + R"({"path": ")" + path + R"(", "sha256": ")" +
            (path == changed ? "1" : "0") + R"("})";
  return sources_digest("{\"sources\": [" + list + "]}", tree.path());
}

TEST(SourcesDigest, CountsFoldersInWhichSomethingWasCompiled) {
  const std::vector<std::string> objects = {"iact/libiact_a-iact.o", "src/corsika-corsikacompilefile.o"};
  const auto all = digest(objects);
  for (const char* counts : {"include/a.h", "iact/iact.c", "iact/iact.h", "src/corsika.F", "src/model.f"})
    EXPECT_NE(digest(objects, counts), all) << counts;
  for (const char* other : {"other/x.f", "other/x.inc"}) EXPECT_EQ(digest(objects, other), all) << other;
  EXPECT_NE(digest({"iact/iact.o", "src/corsika.o", "other/x.o"}), all);
}

TEST(SourcesDigest, OthersAreNotKnown) { EXPECT_FALSE(is_known("abc")); }

}  // namespace
}  // namespace overlay
