#include "corsika_patches/body_digest.h"

#include <gtest/gtest.h>

#include "sample_tree.h"
#include "support/error.hpp"

using namespace corsika_patches;
using sample::swapped;

namespace {
std::string digest(const std::string& text) {
  const FixedFormSource source{TextFile(text)};
  return body_digest(source, find_units(source).at(0), "x.F");
}
}  // namespace

TEST(BodyDigest, StaysUnderHarmlessChanges) {
  const auto stock = digest(sample::rmmaqd());
  auto text = sample::rmmaqd();
  text = swapped(text, "      NFILL = 33\n      W = 0.5D0\n", "c  moved\n      w=.5d0\n      nfill = 33\n");
  EXPECT_EQ(digest(text), stock);
  text = swapped(text, "DO 20 K", "DO  K");
  text = swapped(text, "   20   CONTINUE\n", "        END DO\n");
  EXPECT_EQ(digest(text), stock);
  text = swapped(text, "DOUBLE PRECISION W\n",
                 "DOUBLE PRECISION W\n      REAL UNUSED\n      COMMON /X/ UNUSED\n");
  EXPECT_EQ(digest(text), stock);
}

TEST(BodyDigest, ChangesWithTheAlgorithm) {
  const auto stock = digest(sample::rmmaqd());
  const sample::Swaps edits = {{"NFILL = 33", "NFILL = 34"},
                               {"1, 97", "1, 96"},
                               {"0.75D0", "0.76D0"},
                               {"DOUBLE PRECISION W", "REAL W"},
                               {"DATA JSEQ / 1 /", "DATA JSEQ / 2 /"},
                               {"          W = W * 0.75D0\n          U(K,JSEQ) = W\n",
                                "          U(K,JSEQ) = W\n          W = W * 0.75D0\n"},
                               {"ISEED(1) = IJKL(JSEQ)", "ISEED(2) = IJKL(JSEQ)"},
                               {"        JSEQ = ISEQ\n", ""},
                               {"      RETURN\n", "      CALL EXTRA\n      RETURN\n"}};
  for (const auto& [from, to] : edits)
    EXPECT_NE(digest(swapped(sample::rmmaqd(), from, to)), stock) << from << " -> " << to;
}
