// Routines of the shape of RANMAR, digests of routines, and IF blocks.
#include "corsika-patches/recognise.h"

#include "fixtures.h"

using namespace corsika_patches;
using sample::fixed, sample::routine, sample::swapped;

namespace {

RanmarTraits traits_of(const std::string& text, const std::string& kind = "function") {
  const FixedFormSource source{TextFile(text)};
  return recognise_ranmar(source, find_units(source).at(0), kind, "x.F");
}

std::string refusal(const std::string& text, const std::string& kind = "function") {
  return error_of([&] { traits_of(text, kind); });
}

/// The stand-in's RANF with other statements for some of its own.
std::string edited(const std::string& from, const std::string& to) {
  return swapped(routine("FUNCTION RANF"), fixed(from), fixed(to));
}

TEST(RanmarShape, TraitsOfFunctions) {
  const auto t = traits_of(routine("FUNCTION RANF"));
  EXPECT_EQ(t.result + ", " + t.sequence + ", " + t.dummy, "DOUBLE PRECISION, 1, INTEGER IDUM");
  EXPECT_TRUE(t.last && t.zero && t.conex && !t.reject);
  const std::string conex = "#if __CONEX__; IF (FINCNX) JSEQ = lseq; #endif";
  EXPECT_FALSE(traits_of(edited(conex, "")).conex);
  EXPECT_PRED2(::holds, refusal(edited(conex, swapped(conex, "CONEX", "OTHER"))), "another conditional");
  EXPECT_EQ(traits_of(edited("JSEQ = 1;" + conex, "JSEQ = lseq")).sequence, "lseq");
  EXPECT_FALSE(traits_of(edited("IF (UNI .EQ. 0D0) UNI = TWOM48", "")).zero);
  const auto literal = traits_of(routine("FUNCTION HWRGEN"));
  EXPECT_EQ(literal.sequence, "5");
  EXPECT_FALSE(literal.last) << "it does not become the one used last";
}

TEST(RanmarShape, RealResultAndRejection) {
  const auto with = [](const std::string& again) {
    return swapped(routine("FUNCTION S_RNDM"), fixed("IF (S_RNDM .EQ. 0.  .OR.  S_RNDM .EQ. 1.) GOTO 9"),
                   sample::all_swapped(fixed(again), "X", "S_RNDM"));
  };
  for (const char* form : {"IF ( X .EQ. 0. ) THEN; GO TO 9; ELSE IF ( X .EQ. 1. ) THEN; GOTO 9; END IF",
                           "IF (X.EQ.0. .OR. X.EQ.1.) GOTO 9", "IF (X.EQ.0.) GOTO 9; IF (X.EQ.1.) GOTO 9"}) {
    const auto t = traits_of(with(form));
    EXPECT_TRUE(t.result == "REAL" && t.reject) << form;
  }
  for (const char* form : {"IF (X.EQ.0.) GOTO 9", "IF (X.EQ.0. .OR. X.EQ.1.) GOTO 2",
                           "IF (X.EQ.0.) THEN; GOTO 9; ENDIF", "IF (X.EQ.0.) THEN; X = 1.; ENDIF"})
    EXPECT_NE(refusal(with(form)), "") << form;
}

TEST(RanmarShape, Entries) {
  const auto text = routine("FUNCTION HWRGEN");
  EXPECT_EQ(traits_of(text).entries, (std::vector<std::string>{"HWRSET", "HWRGET"}));
  for (const auto& [from, to] :
       sample::Swaps{{"HWRGET = 0", "HWRGET = 1"}, {"HWRSET,HWRGET", "HWRSET"}, {"HWRGET()", "HWRGET(I)"}})
    EXPECT_NE(refusal(swapped(text, from, to)), "") << from;
}

TEST(RanmarShape, HarmlessChangesAreTaken) {
  auto text = edited("C(JSEQ) = C(JSEQ)-CD; IF (C(JSEQ) .LT. 0D0) C(JSEQ) = C(JSEQ)+CM", "");
  text = swapped(text, "      SAVE\n",
                 "      COMMON /S_DEBUG/ Ncall,\n     * Ndebug\n      integer Ncall,Ndebug\n      SAVE\n");
  text = swapped(
      text, "      UNI = UNI-",
      "      c(jseq)=c(jseq)-cd\n      if(c(jseq).lt.0.)c(jseq)=c(jseq)\n     + +cm\n      UNI = UNI-");
  EXPECT_EQ(refusal(text), "");
}

// Each edit must be refused, and the message must name routine, line and statement.
TEST(RanmarShape, EditsAreRefused) {
  for (const auto& [from, to] : sample::Swaps{
           {"IF (I97(JSEQ) .LT. 1) I97(JSEQ) = 97", "IF (I97(JSEQ) .LT. 1) I97(JSEQ) = 98"},
           {"IF (J97(JSEQ) .LT. 1) J97(JSEQ) = 97", ""},
           {"J97(JSEQ) = J97(JSEQ)-1", "J97(JSEQ) = J97(JSEQ)-2"},
           {"UNI = U(I97(JSEQ),JSEQ)-U(J97(JSEQ),JSEQ)", "UNI = U(I97(JSEQ),JSEQ)-U(J97(JSEQ),1)"},
           {"U(I97(JSEQ),JSEQ) = UNI", ""},
           {"C(JSEQ) = C(JSEQ)-CD", "C(JSEQ) = C(JSEQ)-CM"},
           {"C(JSEQ) = C(JSEQ)-CD", "C(JSEQX) = C(JSEQX)-CD"},
           {"UNI = UNI-C(JSEQ)", "#if X; UNI = UNI-C(JSEQ); #endif"},
           {"UNI = UNI-C(JSEQ)", "UNI = UNI-C(1)"},
           {"IF (UNI .LT. 0D0) UNI = UNI+1D0", "IF (UNI .LT. 0D0) UNI = UNI+1.5D0"},
           {"IF (UNI .LT. 0D0) UNI = UNI+1D0", "IF (UNI .LT. 0.5D0) UNI = UNI+1D0"},
           {"IF (UNI .EQ. 0D0) UNI = TWOM48", "IF (UNI .EQ. 0D0) UNI = TWOM24"},
           {"RANF = UNI", "RANF = UNI; NCALL = NCALL + 1"},
           {"RANF = UNI", "RANF = 1.D0 - UNI"},
           {"NTOT(JSEQ) = NTOT(JSEQ)+1", "NTOT(JSEQ) = NTOT(JSEQ)+2"},
           {"SAVE", "REAL UNI; SAVE"},
           {"SAVE", "INTEGER I97(3); SAVE"},
           {"RETURN", "RETURN; RANF = UNI"},
           {"RETURN", "IF (RANF .EQ. 0D0) RANF = TWOM48; RETURN"},
           {"JSEQ = 1", ""},
           {"JSEQ = 1", "IF (IDUM .GT. 0) JSEQ = 1"},
       }) {
    const auto message = refusal(edited(from, to));
    EXPECT_EQ(message.find("x.F:"), 0U) << from << " -> " << to << ": " << message;
    EXPECT_PRED2(::holds, message, "RANF");
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(RanmarShape, VectorsAndRmmard) {
  EXPECT_EQ(traits_of(routine("SUBROUTINE GRNDM"), "vector").sequence, "1");
  EXPECT_EQ(traits_of(routine("SUBROUTINE RMMARD"), "rmmard").sequence, "argument");
  const std::string count = "NTOT(JSEQ) = NTOT(JSEQ)+LENV;", step = "C(JSEQ) = C(JSEQ)-CD;",
                    loop = "DO  IVEC = 1, LENV;", result = "RVEC(IVEC) = UNI;";
  for (const auto& [from, to, says] :
       {std::tuple{"NTOT(JSEQ)+LENV", "NTOT(JSEQ)+1", "x.F"},
        {".LE. KSEQ", ".LT. KSEQ", "x.F"},
        {"      IF (UNI .EQ. 0D0) UNI = TWOM48\n", "", "its step zero is missing"}})
    EXPECT_PRED2(::holds, refusal(swapped(routine("SUBROUTINE RMMARD"), from, to), "rmmard"), says);
  const auto vector = [](const sample::Swaps& edits) {
    auto text = routine("SUBROUTINE GRNDM");
    for (const auto& [from, to] : edits) text = swapped(text, fixed(from), fixed(to));
    return refusal(text, "vector");
  };
  EXPECT_EQ(vector({{loop, "DO 7 IVEC = 1, LENV"}, {"ENDDO", "7 CONTINUE"}}), "");
  for (const sample::Swaps& edits : {sample::Swaps{{count, ""}},
                                     {{step, ""}},
                                     {{loop, "DO IVEC = 2, LENV"}},
                                     {{result + "ENDDO", "ENDDO;" + result}},
                                     {{step, ""}, {loop, step + loop}},  // the steps are in the loop
                                     {{count, ""}, {"ENDDO", count + "ENDDO"}}})
    EXPECT_NE(vector(edits), "") << edits[0].first << edits[0].second;
}

std::string digest(const std::string& text) {
  const FixedFormSource source{TextFile(text)};
  return body_digest(source, find_units(source).at(0));
}

TEST(BodyDigest, IsOfTheStatements) {
  const auto text = routine("SUBROUTINE RMMAQD"), stock = digest(text);
  const std::string fill = "        J97(JSEQ) = 33\n", end = "      RETURN\n      END\n";
  EXPECT_EQ(
      digest(swapped(swapped(text, fill, "c  words\n      j97(jseq) =\n     *  33  ! more\n#define X\n"),
                     "HALF = 0.5D0*HALF", "half=.5d0 * half")),
      stock);
  for (const auto& [from, to] : sample::Swaps{{fill, "        J97(JSEQ) = 34\n"},
                                              {"0.5D0*HALF", "0.6D0*HALF"},
                                              {"I = J\n            J = K", "J = K\n            I = J"},
                                              {"DOUBLE PRECISION HALF", "REAL HALF"},
                                              {"JSEQ / 1 /", "JSEQ / 2 /"},
                                              {"ISEED(1) = IJKL(JSEQ)", "ISEED(2) = IJKL(JSEQ)"},
                                              {fill, ""},
                                              {fill, "#if A\n" + fill + "#endif\n"},
                                              {end, " 10" + end.substr(3)},
                                              {end, "      CALL EXTRA\n" + end}})
    EXPECT_NE(digest(swapped(text, from, to)), stock) << from << " -> " << to;
  const auto of_options = [](const std::string& option) {
    return digest(fixed("SUBROUTINE S; #if " + option + "; #else; W = 2; #endif; END"));
  };
  EXPECT_NE(of_options("A"), of_options("B"));
}

// The lines of the block around the first statement that begins with A=1; "none" where there is none.
std::string block(const std::string& body) {
  const FixedFormSource source(TextFile("      SUBROUTINE S\n" + body + "      END\n"));
  const auto found = if_block_around(source, find_units(source).at(0), "A=1", {"__A__"});
  return found ? std::to_string(found->first) + " " + std::to_string(found->last) : "none";
}

const std::string kIf = "      IF ( X ) THEN\n", kEnd = "      ENDIF\n", kA = "      A = 1\n";

TEST(IfBlock, IsTheInnermostOneOfOneBuild) {
  const std::string on = "#if __A__\n", off = "#if !__A__\n", end = "#endif\n", one = kIf + kA + kEnd;
  for (const auto& [body, lines] : sample::Swaps{
           {one, "1 3"},
           {kIf + kIf + kEnd + "      ELSEIF ( Y ) THEN\n" + kA + kIf + kEnd + kEnd, "1 8"},
           {kIf + "      IF ( Y\n     *  ) THEN\n" + kA + "      END IF\n" + kEnd, "2 5"},
           {kIf + "      IF ( Y ) B = 2\n" + kA + kEnd, "1 4"},
           {kIf + kEnd + one + one, "3 5"},  // of the first such statement
           {on + kIf + "#else\n" + kIf + kIf + end + kA + kEnd,
            "none"},  // it begins and ends in different branches
           {on + kIf + "#if __B__\n" + kIf + end + kA + kEnd + end, "2 7"},
           {off + one + end + one, "6 8"},
           {off + one + end, "none"},
           {kA, "none"},
           {kIf + kEnd + kA + kIf + kEnd, "none"},
           {kIf + "      B = 2\n" + kEnd, "none"},
           {kIf + kA, "none"},
           {kIf + kA + "  10  ENDIF\n", "none"},  // somebody may go there
       })
    EXPECT_EQ(block(body), lines) << body;
}

}  // namespace
