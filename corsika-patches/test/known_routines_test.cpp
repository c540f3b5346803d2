#include "corsika_patches/known_routines.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "stage_sample.h"
#include "support/error.hpp"

using namespace corsika_patches;
namespace fs = std::filesystem;
using sample::kLightC;
using sample::kLightFortran;

namespace {

class KnownRoutinesOfATree : public sample::StageTest {
 protected:
  void SetUp() override {
    StageTest::SetUp();
    sample::write(tree_ / "stage_options.inc", "");
    sample::write(tree_ / "stage.inc",
                  "#ifdef STAGE_HELD_OFF\nC  NOTHING IS SHOWN\n#undef STAGE_HELD_OFF\n#endif\n");
  }
  /// The builds whose preprocessed text, as it is patched, holds the stage off.
  std::vector<std::string> held_off() const {
    patch_tree(options_);
    std::vector<std::string> out;
    for (const std::string build : {"", "FINE", "COLOUR", "FINE COLOUR"}) {
      std::string defines;
      for (const std::string option : {"FINE", "COLOUR"})
        if (build.find(option) != std::string::npos) defines += " -D__" + option + "__=1";
      const auto run =
          sample::run("cd " + tree_.string() + " && cpp -P -C -traditional-cpp -D__STAGE__=1 -D__LIGHT__=1" +
                      defines + " light.F");
      EXPECT_EQ(run.status, 0) << run.err;
      if (run.out.find("NOTHING IS SHOWN") != std::string::npos) out.push_back(build);
    }
    reverse_tree(options_);
    return out;
  }
  /// A proof of the tree as it is, in a build.
  nlohmann::json proof(const std::vector<std::string>& build) const {
    nlohmann::json routines;
    for (const auto& seen : judged(build).seen) routines[seen.name] = seen.digest;
    return {{"cherenkov_proof", 1}, {"routines", routines}, {"options", build},
            {"tier", "whole"},      {"steps", 12345},       {"result", "equal"}};
  }
  void prove(const nlohmann::json& proof) {
    options_.proven = {folder_.path() / "proof.json"};
    sample::write(options_.proven.front(), proof.dump());
  }
};

const std::vector<std::string> kAll = {"", "FINE", "COLOUR", "FINE COLOUR"};

TEST_F(KnownRoutinesOfATree, AreHeldOffInBuildsOfOtherShapesAlone) {
  EXPECT_EQ(held_off(), (std::vector<std::string>{"COLOUR", "FINE COLOUR"}))
      << "LIGHT is known without COLOUR";
  sample::write(tree_ / "light.F", sample::swapped(kLightFortran, "A = A + 1", "A = A + 3"));
  EXPECT_EQ(held_off(), (std::vector<std::string>{"FINE", "COLOUR", "FINE COLOUR"}));
  sample::write(tree_ / "light.F", kLightFortran);
  sample::write(tree_ / "light.c", sample::swapped(kLightC, "WIDE 1.", "WIDE 2."));
  EXPECT_EQ(held_off(), kAll) << "a C function is the same in all builds";
}

// The text is the same, and what the stage makes of it is not.
TEST_F(KnownRoutinesOfATree, OfOneShapeDependOnTheOptionsThatTheRuleNames) {
  const auto text = sample::swapped(
      kLightFortran, "#if __FINE__\n      A = A + 1\n#else\n      A = A + 2\n#endif\n", "      A = A + 1\n");
  sample::write(tree_ / "light.F", text);
  EXPECT_EQ(digest("FILL", {"__LIGHT__"}), digest("FILL", {"__LIGHT__", "__FINE__"}));
  EXPECT_EQ(judged({"LIGHT", "FINE"}).trust, "known");
  EXPECT_EQ(judged({"LIGHT"}).trust, "held off");
  EXPECT_EQ(held_off(), (std::vector<std::string>{"", "COLOUR", "FINE COLOUR"}));
  sample::write(tree_ / "light.F", sample::swapped(text, "A = A + 1", "A = A + 2"));
  EXPECT_EQ(judged({"LIGHT", "FINE"}).trust, "held off");
  EXPECT_EQ(judged({"LIGHT"}).trust, "known");
}

TEST_F(KnownRoutinesOfATree, AProofHoldsForItsDigestsAndOptionsAlone) {
  const std::vector<std::string> build = {"LIGHT", "COLOUR", "FINE", "ELSEWHERE"};
  ASSERT_EQ(judged(build).trust, "held off");
  prove(proof(build));
  const auto plan = judged(build);
  EXPECT_EQ(plan.trust, "proven");
  EXPECT_EQ(plan.steps, 12345U);
  EXPECT_EQ(plan.tier, "bunches");
  EXPECT_EQ(judged({"LIGHT", "COLOUR", "FINE"}).trust, "proven") << "no routine depends on ELSEWHERE";
  EXPECT_EQ(judged({"LIGHT", "COLOUR"}).trust, "held off");
  EXPECT_EQ(judged({"LIGHT", "FINE"}).trust, "known");
  EXPECT_EQ(held_off(), (std::vector<std::string>{"COLOUR"}));
  // Any routine that is another one now: the proof says nothing.
  for (const auto& [file, from, to] :
       {std::array{"light.F", "X = 3.D0", "X = 4.D0"}, std::array{"light.F", "A = A + 1", "A = A + 3"},
        std::array{"light.c", "*x <", "*x <="}}) {
    const auto stock = sample::read(tree_ / file);
    sample::write(tree_ / file, sample::swapped(stock, from, to));
    EXPECT_EQ(judged(build).trust, "held off") << to;
    sample::write(tree_ / file, stock);
  }
}

TEST_F(KnownRoutinesOfATree, ARoutineThatAProofDoesNotNameIsNotProven) {
  const std::vector<std::string> build = {"LIGHT", "COLOUR"};
  auto some = proof(build);
  some["routines"].erase("hit_");
  prove(some);
  EXPECT_EQ(judged(build).trust, "held off");
}

// What the name stands for is not seen.
TEST_F(KnownRoutinesOfATree, OneInAnotherFileIsNotKnown) {
  const auto moved = sample::swapped(kLightFortran, "      SUBROUTINE FILL\n", "      SUBROUTINE SPILL\n");
  sample::write(tree_ / "light.F", moved);
  const auto plan = judged();
  EXPECT_EQ(plan.trust, "held off");
  EXPECT_NE(plan.reason.find("FILL (not in light.F)"), std::string::npos) << plan.reason;
  EXPECT_EQ(held_off(), kAll);
  sample::write(tree_ / "light.F", sample::swapped(moved, "      CALL FILL\n", "      call fill\n"));
  EXPECT_EQ(judged().trust, "held off");
  EXPECT_NE(judged().reason.find("FILL (not in light.F)"), std::string::npos);
  sample::write(tree_ / "light.F", sample::swapped(moved, "      CALL FILL\n", ""));
  for (const auto& seen : judged().seen) EXPECT_NE(seen.name, "FILL") << "nobody calls it";
}

TEST_F(KnownRoutinesOfATree, ATreeIsUpdatedWhenAProofComesAndWhenItGoes) {
  patch_tree(options_);
  const auto before = sample::read(tree_ / "light.F");
  prove(proof({"LIGHT", "COLOUR"}));
  EXPECT_EQ(patch_tree(options_).outcome, PatchResult::Outcome::patched);
  EXPECT_NE(sample::read(tree_ / "light.F"), before);
  EXPECT_EQ(patch_tree(options_).outcome, PatchResult::Outcome::already_patched);
  options_.proven.clear();
  patch_tree(options_);
  EXPECT_EQ(sample::read(tree_ / "light.F"), before);
}

// What the stage does not set has other values after a step than CORSIKA's own loop leaves.
TEST_F(KnownRoutinesOfATree, ARoutineThatUsesWhatIsNotSetMustBeProven) {
  write_rules("[not_set]\nfile = \"light.F\"\nnames = [\"GLOW\"]\nroutines = [\"FILL\"]\n");
  EXPECT_EQ(held_off(), (std::vector<std::string>{"COLOUR", "FINE COLOUR"})) << "nobody uses it";
  const std::string stock = kLightFortran;
  const auto show = [&](const std::string& lines) {
    sample::write(tree_ / "light.F", stock + "      SUBROUTINE SHOW\n" + lines + "      END\n");
  };
  show("      WRITE(*,*) AFTERGLOW\n");
  EXPECT_EQ(judged().trust, "known");
  show("      WRITE(*,*) GLOW\n");
  EXPECT_EQ(judged().trust, "held off");
  EXPECT_NE(judged().reason.find("SHOW"), std::string::npos) << judged().reason;
  EXPECT_EQ(held_off(), kAll);
  prove(proof({"LIGHT", "FINE"}));
  EXPECT_EQ(judged({"LIGHT", "FINE"}).trust, "proven");
  show("      WRITE(*,*) 2*GLOW\n");
  EXPECT_EQ(judged({"LIGHT", "FINE"}).trust, "held off");
  options_.proven.clear();
  sample::write(tree_ / "light.F",
                stock + "#if __FINE__\n      SUBROUTINE SHOW\n      WRITE(*,*) GLOW\n      END\n#endif\n");
  EXPECT_EQ(held_off(), (std::vector<std::string>{"FINE", "COLOUR", "FINE COLOUR"}));
}

TEST_F(KnownRoutinesOfATree, OneThatCannotBeReadIsAReason) {
  EXPECT_NE(left_out("light.F", "#if __FINE__", "#if __FINE__ > 2").find("more than this version can read"),
            std::string::npos);
  EXPECT_NE(left_out("light.F", "      SUBROUTINE FILL\n", "      SUBROUTINE FILL\n      SUBROUTINE TWICE\n")
                .find("FILL cannot be read: it has two heads"),
            std::string::npos);
}

}  // namespace
