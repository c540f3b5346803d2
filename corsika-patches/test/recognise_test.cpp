// Routines of the shape of RANMAR, digests of routines, and IF blocks.
#include "corsika-patches/recognise.h"

#include <gtest/gtest.h>

#include "sample_tree.h"
#include "support/error.hpp"

using namespace corsika_patches;
using sample::swapped;

namespace {

RanmarTraits traits_of(const std::string& text, const std::string& kind = "function") {
  const FixedFormSource source{TextFile(text)};
  return recognise_ranmar(source, find_units(source).at(0), kind, "x.F");
}

std::string refusal(const std::string& text, const std::string& kind = "function") {
  try {
    traits_of(text, kind);
  } catch (const support::Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST(RanmarShape, PlainFunction) {
  const auto t = traits_of(sample::function());
  EXPECT_EQ(t.result, "DOUBLE PRECISION");
  EXPECT_EQ(t.sequence, "1");
  EXPECT_EQ(t.dummy, "INTEGER IDUM");
  EXPECT_TRUE(t.last);
  EXPECT_TRUE(t.zero);
  EXPECT_FALSE(t.conex);
  EXPECT_FALSE(t.reject);
}

TEST(RanmarShape, Conex) {
  sample::FunctionParts p;
  p.choose += "#if __CONEX__\n      IF (FINCNX) JSEQ = lseq\n#endif\n";
  EXPECT_TRUE(traits_of(sample::function(p)).conex);
  p.choose = "      JSEQ = lseq\n";
  EXPECT_EQ(traits_of(sample::function(p)).sequence, "lseq");
  p.choose = "      JSEQ = 1\n#if __OTHER__\n      IF (FINCNX) JSEQ = lseq\n#endif\n";
  EXPECT_NE(refusal(sample::function(p)).find("another conditional"), std::string::npos);
}

TEST(RanmarShape, LiteralSequenceDoesNotBecomeTheLastOne) {
  sample::FunctionParts p;
  p.subscript = std::string("5");
  p.choose = "";
  const auto t = traits_of(sample::function(p));
  EXPECT_EQ(t.sequence, "5");
  EXPECT_FALSE(t.last);
}

TEST(RanmarShape, NoZeroRule) {
  sample::FunctionParts p;
  p.zero = false;
  EXPECT_FALSE(traits_of(sample::function(p)).zero);
}

TEST(RanmarShape, RealResultAndRejection) {
  sample::FunctionParts p;
  p.head = "      FUNCTION RANF()\n";
  p.declarations = "      REAL RANF\n";
  p.before = " 1    CONTINUE\n";
  p.result = "      RANF = SNGL(UNI)\n";
  p.after =
      "      IF ( RANF .EQ. 0. ) THEN\n        GO TO 1\n      ELSE IF ( RANF .EQ. 1. ) THEN\n        GOTO "
      "1\n      END IF\n";
  const auto t = traits_of(sample::function(p));
  EXPECT_EQ(t.result, "REAL");
  EXPECT_TRUE(t.reject);
  EXPECT_EQ(t.dummy, "");
  for (const auto* form : {"      IF (RANF.EQ.0. .OR. RANF.EQ.1.) GOTO 1\n",
                           "      IF (RANF.EQ.0.) GOTO 1\n      IF (RANF.EQ.1.) GOTO 1\n"}) {
    p.after = form;
    EXPECT_TRUE(traits_of(sample::function(p)).reject);
  }
  p.after = "      IF (RANF.EQ.0.) GOTO 1\n";
  EXPECT_NE(refusal(sample::function(p)), "accepted");
  p.after = "      IF (RANF.EQ.0. .OR. RANF.EQ.1.) GOTO 2\n";
  EXPECT_NE(refusal(sample::function(p)), "accepted");
}

TEST(RanmarShape, Entries) {
  sample::FunctionParts p;
  p.declarations += "      DOUBLE PRECISION FSET,FGET\n";
  p.tail =
      "      ENTRY FSET()\n      FSET = 0.D0\n      RETURN\nC\n      ENTRY FGET()\n      FGET = 0.\n      "
      "RETURN\n";
  EXPECT_EQ(traits_of(sample::function(p)).entries, (std::vector<std::string>{"FSET", "FGET"}));
  EXPECT_NE(refusal(swapped(sample::function(p), "FGET = 0.", "FGET = 1.")), "accepted");
}

TEST(RanmarShape, VectorAndRmmard) {
  EXPECT_EQ(traits_of(sample::vector_routine(), "vector").sequence, "1");
  EXPECT_EQ(traits_of(sample::rmmard(), "rmmard").sequence, "argument");
  EXPECT_NE(refusal(swapped(sample::rmmard(), "NTOT(JSEQ) + LENV", "NTOT(JSEQ) + 1"), "rmmard"), "accepted");
  const auto no_zero =
      refusal(swapped(sample::rmmard(), "      IF (UNI .EQ. 0.D0) UNI = TWOM48\n", ""), "rmmard");
  EXPECT_NE(no_zero.find("the rule that an exact zero becomes 2^-48 is missing"), std::string::npos)
      << no_zero;
  EXPECT_NE(refusal(swapped(sample::rmmard(), ".LE. KSEQ", ".LT. KSEQ"), "rmmard"), "accepted");
}

TEST(RanmarShape, HarmlessChangesAreTaken) {
  auto text = sample::function();
  text = swapped(text, "      SAVE\n",
                 "      COMMON /S_DEBUG/ Ncall,\n     * Ndebug\n      integer Ncall,Ndebug\n      SAVE\n");
  text = swapped(text, "      C(JSEQ) = C(JSEQ) - CD\n      IF (C(JSEQ) .LT. 0.D0) C(JSEQ) = C(JSEQ) + CM\n",
                 "");
  text =
      swapped(text, "      UNI = U(",
              "      c(jseq)=c(jseq)-cd\n      if(c(jseq).lt.0.)c(jseq)=c(jseq)\n     + +cm\n      UNI = U(");
  EXPECT_EQ(refusal(text), "accepted");
}

// Each edit must be refused, and the message must name routine, line and statement.
TEST(RanmarShape, EditsAreRefused) {
  const sample::Swaps edits = {
      {"IF (I97(JSEQ) .EQ. 0) I97(JSEQ) = 97", "IF (I97(JSEQ) .EQ. 0) I97(JSEQ) = 98"},
      {"      IF (J97(JSEQ) .EQ. 0) J97(JSEQ) = 97\n", ""},
      {"J97(JSEQ) = J97(JSEQ) - 1", "J97(JSEQ) = J97(JSEQ) - 2"},
      {"U(J97(JSEQ),JSEQ)", "U(J97(JSEQ),1)"},
      {"      U(I97(JSEQ),JSEQ) = UNI\n", ""},
      {"C(JSEQ) - CD", "C(JSEQ) - CM"},
      {"UNI = TWOM48", "UNI = TWOM24"},
      {"      RANF = UNI\n", "      RANF = UNI\n      NCALL = NCALL + 1\n"},
      {"      RANF = UNI\n", "      RANF = 1.D0 - UNI\n"},
      {"NTOT(JSEQ) + 1", "NTOT(JSEQ) + 2"},
      {"C(JSEQ) - CD", "C(JSEQX) - CD"},
      {"UNI = UNI + 1.D0", "UNI = UNI + 1.5D0"},
      {"IF (UNI .LT. 0.D0)", "IF (UNI .LT. 0.5D0)"},
      {"      UNI = UNI - C(JSEQ)\n", "      UNI = UNI - C(1)\n"},
      {"      UNI = UNI - C(JSEQ)\n", "#if X\n      UNI = UNI - C(JSEQ)\n#endif\n"},
      {"      SAVE\n", "      REAL UNI\n      SAVE\n"},
      {"      SAVE\n", "      INTEGER I97(3)\n      SAVE\n"},
      {"      RETURN\n", "      RETURN\n      RANF = UNI\n"},
      {"      RETURN\n", "      IF (RANF .EQ. 0.D0) RANF = TWOM48\n      RETURN\n"},
      {"      JSEQ = 1\n", ""},
  };
  for (const auto& [from, to] : edits) {
    const auto message = refusal(swapped(sample::function(), from, to));
    EXPECT_NE(message, "accepted") << from << " -> " << to;
    EXPECT_NE(message.find("x.F:"), std::string::npos) << message;
    EXPECT_NE(message.find("RANF"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(RanmarShape, AVectorsLoopHoldsTheStepsAndNotTheCounters) {
  const auto stock = sample::vector_routine();
  const std::string loop = "      DO  IVEC = 1, LENV\n", count = "      NTOT(JSEQ) = NTOT(JSEQ) + LENV\n",
                    step = "      C(JSEQ) = C(JSEQ) - CD\n", end = "      RVEC(IVEC) = UNI\n      ENDDO\n";
  EXPECT_EQ(refusal(swapped(swapped(stock, loop, "      DO 7 IVEC = 1, LENV\n"), "      ENDDO\n",
                            "    7 CONTINUE\n"),
                    "vector"),
            "accepted");
  for (const auto& [from, to] :
       sample::Swaps{{count, ""}, {step, ""}, {end, "      ENDDO\n      RVEC(IVEC) = UNI\n"}})
    EXPECT_NE(refusal(swapped(stock, from, to), "vector"), "accepted") << from;
  EXPECT_NE(refusal(swapped(swapped(stock, step, ""), loop, step + loop), "vector"), "accepted");
  EXPECT_NE(refusal(swapped(swapped(stock, count, ""), end, count + end), "vector"), "accepted");
  EXPECT_NE(refusal(swapped(stock, loop, "      DO  IVEC = 2, LENV\n"), "vector"), "accepted");
}

namespace {

std::string digest(const std::string& text) {
  const FixedFormSource source{TextFile(text)};
  return body_digest(source, find_units(source).at(0));
}

}  // namespace

TEST(BodyDigest, IsOfTheStatements) {
  const auto stock = digest(sample::rmmaqd());
  EXPECT_EQ(digest(swapped(sample::rmmaqd(), "      NFILL = 33\n      W = 0.5D0\n",
                           "c  words\n      nfill =\n     *  33  ! more\n      w=.5d0\n#define X\n")),
            stock);
  const sample::Swaps edits = {{"NFILL = 33", "NFILL = 34"},
                               {"1, 97", "1, 96"},
                               {"0.75D0", "0.76D0"},
                               {"DOUBLE PRECISION W", "REAL W"},
                               {"DATA JSEQ / 1 /", "DATA JSEQ / 2 /"},
                               {"          W = W * 0.75D0\n          U(K,JSEQ) = W\n",
                                "          U(K,JSEQ) = W\n          W = W * 0.75D0\n"},
                               {"ISEED(1) = IJKL(JSEQ)", "ISEED(2) = IJKL(JSEQ)"},
                               {"        JSEQ = ISEQ\n", ""},
                               {"        JSEQ = ISEQ\n", "#if A\n        JSEQ = ISEQ\n#endif\n"},
                               {"DO 20 K", "DO 30 K"},
                               {"   20   CONTINUE", "   30   CONTINUE"},
                               {"NFILL = 33\n", "NFILL = 33\n#if A\n     *  + 1\n#endif\n"},
                               {"      RETURN\n", "      CALL EXTRA\n      RETURN\n"}};
  for (const auto& [from, to] : edits)
    EXPECT_NE(digest(swapped(sample::rmmaqd(), from, to)), stock) << from << " -> " << to;
  const std::string both = "#if A\n      W = 1\n#else\n      W = 2\n#endif\n", w = "      W = 0.5D0\n";
  EXPECT_NE(digest(swapped(sample::rmmaqd(), w, both)),
            digest(swapped(sample::rmmaqd(), w, swapped(both, "A", "B"))));
}

namespace {

// The lines of the block around the first statement that begins with A=1; "none" where there is none.
std::string block(const std::string& body, const std::set<std::string>& on = {"__A__"}) {
  const FixedFormSource source(TextFile("      SUBROUTINE S\n" + body + "      END\n"));
  const auto found = if_block_around(source, find_units(source).at(0), "A=1", on);
  return found ? std::to_string(found->first) + " " + std::to_string(found->last) : "none";
}

const std::string kIf = "      IF ( X ) THEN\n", kEnd = "      ENDIF\n", kA = "      A = 1\n";

TEST(IfBlock, IsTheInnermostOne) {
  EXPECT_EQ(block(kIf + kA + kEnd), "1 3");
  EXPECT_EQ(block(kIf + kIf + kEnd + "      ELSEIF ( Y ) THEN\n" + kA + kIf + kEnd + kEnd), "1 8");
  EXPECT_EQ(block(kIf + "      IF ( Y\n     *  ) THEN\n" + kA + "      END IF\n" + kEnd), "2 5");
  EXPECT_EQ(block(kIf + "      IF ( Y ) B = 2\n" + kA + kEnd), "1 4");
  EXPECT_EQ(block(kIf + kEnd + kIf + kA + kEnd + kIf + kA + kEnd), "3 5");  // of the first such statement
}

TEST(IfBlock, IsOfOneBuild) {
  const std::string two = "#if __A__\n" + kIf + "#else\n" + kIf + kIf + "#endif\n" + kA + kEnd;
  EXPECT_EQ(block(two), "none") << "it begins and ends in different branches";
  EXPECT_EQ(block("#if __A__\n" + kIf + "#if __B__\n" + kIf + "#endif\n" + kA + kEnd + "#endif\n"), "2 7");
  EXPECT_EQ(block("#if !__A__\n" + kIf + kA + kEnd + "#endif\n" + kIf + kA + kEnd), "6 8");
  EXPECT_EQ(block("#if !__A__\n" + kIf + kA + kEnd + "#endif\n"), "none");
}

TEST(IfBlock, ThereIsNone) {
  EXPECT_EQ(block(kA), "none");
  EXPECT_EQ(block(kIf + kEnd + kA + kIf + kEnd), "none");
  EXPECT_EQ(block(kIf + "      B = 2\n" + kEnd), "none");
  EXPECT_EQ(block(kIf + kA), "none");
  EXPECT_EQ(block(kIf + kA + "  10  ENDIF\n"), "none") << "somebody may go there";
}

}  // namespace
