#include "corsika_patches/ranmar_shape.h"

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
