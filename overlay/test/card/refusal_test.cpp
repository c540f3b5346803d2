// What a card may not say, by a source of our own in CORSIKA's form.
#include "overlay/card/refusal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

namespace overlay {
namespace {

/// Keywords and limits as CORSIKA's lines have them.
const std::string kSource = R"(
#if __CURVED__ && __CERENKOV__
      IF (THETPR(2) .GT. 80.D0) THEN
#elif __CURVED__
      IF (THETPR(2) .GT. 85.) THEN
#else /* flat */
      IF (THETPR(2) .GT. 60.D0) THEN
#endif
#if __CONEX__ && !__IACT__
      IF (PRMPAR(0) .GT. 30000.D0 .OR. PRMPAR(0) .LE. 0.) THEN
#else
      IF (PRMPAR(0) .GT. 5600. .OR. PRMPAR(0) .LE. 0.D0) THEN
#endif
      IF (PRMPAR(0) .GT. 40000.D0) THEN
C     LINE(1:5) .EQ. 'NEVER'
      IF (LINE(1:1) .EQ. '*') GO TO 1
      IF (LINE(1:6) .EQ. '      ') GO TO 1
      IF (LINE(1:2) .EQ. 'C ') GO TO 1
      IF (LINE(1:1) .EQ. '!') N = N + 1
#if __IACT__
      IF (LINE(1:5) .EQ. 'IACT ') GO TO 1
#endif
      IF (LINE(1:5) .EQ. 'NSHOW') GO TO 1
#if !__STACKIN__
      IF (LINE(1:6) .EQ. 'PRMPAR') GO TO 1
#endif
      IF (LINE(1:6) .EQ. 'THETAP') GO TO 1
#if __CERENKOV__ && __IACT__
      IF (LINE(1:6) .EQ. 'TELFIL') GO TO 1
#endif
#if !__CURVED__ && (!__SLANT__ || __ODD__)
      IF (LINE(1:6) .EQ. 'TSTART') GO TO 1
#endif
#ifdef __QGSII__
      IF (LINE(1:6) .EQ. 'QGSJET') GO TO 1
#else
      IF (LINE(1:6) .EQ. 'SIBYLL') GO TO 1
#endif
#ifndef __SLANT__
      IF (LINE(1:4) .EQ. 'FLAT' .OR. LINE(1:4) .EQ. 'EVEN') GO TO 1
#endif
)";

TEST(CardRefusal, KeywordsPrimariesAndZenithAngles) {
  using Names = std::vector<std::string>;
  const Names light{"CERENKOV", "IACT", "SLANT"}, dark{"SLANT"}, curved{"CURVED"}, all{"CURVED", "CERENKOV"};
  const std::tuple<Names, std::string, const char*> cases[] = {
      {light,
       "NSHOW 1\nprmpar 5526\nTHETAP 60. 6.D1\nTELFIL x\n* x\n\n \r\nC z\n\t\t    a\nIACT setenv\n*(IACT) "
       "x\nEXIT\nJUNK",
       ""},
      {light, "NSHOW 1\nJUNK 3\n", "CORSIKA has no keyword JUNK; correct the line or delete it"},
      {light, "NSHWO 3\n", "CORSIKA has no keyword NSHWO; did you mean NSHOW?"},
      {light, "NEVER\n", "no keyword NEVER"},
      {light, "! x\n",
       "CORSIKA takes no line that begins with !: '! x'; put keywords at its start, and * before"},
      {light, " NSHOW 1\n", "CORSIKA takes no line that begins with a blank: ' NSHOW 1'"},
      {dark, "IACT x\n*(IACT) x\n", "CORSIKA knows IACT only with IACT; delete"},
      {light, "NSHOWERS 1\n", ""},  // CORSIKA looks at the first letters
      {dark, "TELFIL x\n",
       "CORSIKA knows TELFIL only with CERENKOV and IACT; delete the line, or build with other"},
      {light, "TSTART T\n", ""},  // of ODD nothing is known
      {curved, "TSTART T\n", "TSTART only with no CURVED and (no SLANT or ODD)"},
      {light, "FLAT\n", "FLAT only with no (SLANT)"},
      {light, "EVEN\n", "EVEN only with no (SLANT)"},
      {curved, "EVEN\n", ""},
      {light, "QGSJET T\nSIBYLL T\n", ""},
      {dark, "PRMPAR 5601\n", "primaries of 1 to 5600 (PRMPAR), and not 5601; 1 is a gamma"},
      {dark, "PRMPAR 0\n", "and not 0;"},
      {{"CONEX"}, "PRMPAR 9999\n", ""},
      {dark, "PRMPAR 2627\n", "the primary 2627 (PRMPAR) has 27 protons in 26 nucleons"},
      {dark, "PRMPAR 176\nPRMPAR gamma\n", ""},  // the program says it
      {dark, "THETAP 20. 60.1\n",
       "angles of 0 to 60 degrees (THETAP), and not 60.1; give less, or build with CURVED"},
      {dark, "THETAP -1 0\n", "and not -1;"},
      {all, "THETAP 80 80\n", ""},
      {all, "THETAP 81 81\n", "0 to 80 degrees (THETAP), and not 81; give less"},
      {curved, "THETAP 85 85\n", ""},
      {curved, "THETAP 95 95\n", "0 to 85"},
      {{"UPWARD"}, "THETAP 95 95\n", ""}};
  for (const auto& [on, text, why] : cases) {
    Names off;
    for (const std::string name : {"CERENKOV", "IACT", "SLANT", "CURVED", "UPWARD", "CONEX", "STACKIN"})
      if (std::find(on.begin(), on.end(), name) == on.end()) off.push_back(name);
    const std::string said = card_refusal(text, kSource, on, off);
    EXPECT_TRUE(*why == '\0' ? said.empty() : said.find(why) != std::string::npos) << text << ": " << said;
  }
}

TEST(CardRefusal, WhereOptionsOrTheFormOfTheSourceAreNotKnownNothingIsRefused) {
  const std::string card = "NSHOW 1\nTSTART T\nTHETAP 84 84\nPRMPAR 9926\nTELFIL x\n";
  EXPECT_EQ(card_refusal(card, kSource, {}, {}), "");
  EXPECT_EQ(card_refusal(card + "JUNK\n", "      PROGRAM OTHER\n#endif\n#else\n", {}, {"UPWARD"}), "");
}

}  // namespace
}  // namespace overlay
