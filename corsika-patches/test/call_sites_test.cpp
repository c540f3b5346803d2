#include "corsika-patches/patch.h"
#include "fixtures.h"

using namespace corsika_patches;

namespace {

/// The calls, as the manifest has them, and how many blocks there are.
std::pair<Json, std::size_t> changes_of(const std::string& declarations, const std::string& code,
                                        const std::string& tail = "") {
  const SourceFile file(
      "      SUBROUTINE S(DUM)\n      IMPLICIT NONE\n" + declarations + code + "      END\n" + tail, true);
  const auto header = header_blocks(FixedFormSource{TextFile(sample::standin("src/corsika.h"))});
  std::vector<Block> blocks;
  const auto sites = inline_call_sites("x.F", file, file.units, header, load_rules(default_rules()), blocks);
  return {sites, blocks.size()};
}
const std::string with_rd = "#define __RANDPAINC__\n#include \"corsika.h\"\n";
const std::string plain = "#include \"corsika.h\"\n";

TEST(CallSites, InlinesWhatItCanName) {
  using Elements = std::vector<std::string>;
  for (const auto& [declarations, code, elements] :
       std::vector<std::tuple<std::string, const char*, Elements>>{
           {with_rd, "      CALL RMMARD ( RD, 2,\n     * 1 )\n", {"RD(1)", "RD(2)"}},
           {with_rd, "      CALL RMMARD(RD(3),2,2)\n", {"RD(3)", "RD(4)"}},
           {with_rd, "      CALL RMMARD(RD(I),2,2)\n", {"RD(I)", "RD(I+1)"}},
           {plain + "      DOUBLE PRECISION X\n", "      CALL RMMARD(X,1,1)\n", {"X"}},
           {plain + "      DOUBLE PRECISION X\n      DIMENSION X(2)\n",
            "      CALL RMMARD(X,2,1)\n",
            {"X(1)", "X(2)"}},
           {"#if A\n#define __RANDPAINC__\n#endif\n" + plain,
            "#if A\n      CALL RMMARD(RD,1,1)\n#endif\n",
            {"RD(1)"}},
       }) {
    const auto [sites, blocks] = changes_of(declarations, code);
    EXPECT_EQ(sites.at(0).value("elements", Elements()), elements) << sites[0];
    EXPECT_EQ(blocks, 2U) << code;
  }
}

// A draw in place would move the sequence of light past recorded steps.
TEST(CallSites, InlinesDrawsOfLightInItsRoutinesAlone) {
  const auto [both, blocks] = changes_of(
      with_rd, "      CALL RMMARD(RD,1,3)\n",
      "      SUBROUTINE CERENK\n      IMPLICIT NONE\n" + with_rd + "      CALL RMMARD(RD,1,3)\n      END\n");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_PRED2(::holds, both[0]["reason"], "that of light");
  EXPECT_EQ(both[1]["action"], "inlined") << both[1];
  EXPECT_EQ(blocks, 2U);
}

TEST(CallSites, LeavesWhatIsNotCertain) {
  const std::string one = "      CALL RMMARD(RD,1,1)\n";
  sample::Swaps left = {{plain, one},
                        {"      DOUBLE PRECISION RD(3)\n", one},
                        {with_rd + "      REAL RD(3)\n", "      CALL RMMARD(RD,2,1)\n"},
                        {"#if A\n" + with_rd + "#endif\n", one},
                        {"#if A\n#define __RANDPAINC__\n#endif\n" + plain, one},
                        {with_rd + "      IMPLICIT REAL (X)\n", one}};
  for (const char* code :
       {" 10   CALL RMMARD(RD,1,1)\n", "      IF (A) CALL RMMARD(RD,1,1)\n", "      CALL RMMARD(RD,N,1)\n",
        "      CALL RMMARD(RD,5,1)\n", "      CALL RMMARD(RD,0,1)\n", "      CALL RMMARD(RD,1,0)\n",
        "      CALL RMMARD(RD,1,LSEQ)\n", "      CALL RMMARD(RD,1,9)\n", "      CALL RMMARD(RD(I+1),1,1)\n",
        "      CALL RMMARD(RD,1,\n#if A\n     * 1)\n#else\n     * 2)\n#endif\n",
        "      CALL RMMARD(RD,1,1); X = 1\n"})
    left.emplace_back(with_rd, code);
  for (const std::string x :
       {"      DOUBLE PRECISION X(2,2)\n", "      DOUBLE PRECISION X(0:5)\n", "      DOUBLE PRECISION X(1)\n",
        "      DOUBLE PRECISION X\n", "      REAL X(2)\n", "      DIMENSION X(2)\n",
        "      DOUBLE PRECISION X(2),Y\n      EQUIVALENCE (X,Y)\n",
        "#if A\n      DOUBLE PRECISION X(2)\n#endif\n",
        "#if A\n      DOUBLE PRECISION X(2)\n#else\n      DOUBLE PRECISION X(2,2)\n#endif\n"})
    left.emplace_back(plain + x, "      CALL RMMARD(X,2,1)\n");
  for (const auto& [declarations, code] : left) {
    const auto [sites, blocks] = changes_of(declarations, code);
    ASSERT_EQ(sites.size(), 1U) << code;
    EXPECT_EQ(sites[0]["action"], "left") << declarations << code;
    EXPECT_NE(sites[0]["reason"], "");
    EXPECT_EQ(blocks, 0U);
  }
}

}  // namespace
