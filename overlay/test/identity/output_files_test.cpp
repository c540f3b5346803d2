// What logs in CORSIKA's form say of the run's end. The sentences are made up.
#include "overlay/identity/output_files.hpp"

#include <gtest/gtest.h>

namespace overlay {
namespace {

const std::string kBegin = " PRIMARY IS A GAMMA\n ENERGY IS FIXED AT  1.0E+02 GEV\n";

TEST(CorsikaLog, WhyCorsikaStopped) {
  const std::string end =
      "RUNNR 1\nEXIT\n\n END OF DATACARD INPUT\n   1 SYNTAX ERROR(S) IN INPUT DATA CARDS.\n";
  const std::pair<std::string, const char*> cases[] = {
      // The sentence before the guide.
      {kBegin + "\n UNALLOWED ANGLE =    75.0000      DEGREES\n PLEASE READ THE USERS GUIDE\n"
                " SEE KEYWORD: THETAP\n",
       "UNALLOWED ANGLE = 75.0000 DEGREES SEE KEYWORD: THETAP"},
      {kBegin + " CUT IS INCORRECT TO   1.E-02  GEV\n\n PLEASE READ THE USERS GUIDE\n SEE KEYWORD: ECUTS\n",
       "CUT IS INCORRECT TO 1.E-02 GEV SEE KEYWORD: ECUTS"},
      // Several lines.
      {kBegin + " ERROR IN ENERGY:\n LOW= 3.E+02 IS LARGER THAN HIGH= 1.E+02\n",
       "ERROR IN ENERGY: LOW= 3.E+02 IS LARGER THAN HIGH= 1.E+02"},
      {kBegin + "\n NAMES: INCORRECT NAME\n /dev/null \n PLEASE READ THE USERS GUIDE\n SEE KEYWORD: DIRECT\n"
                " IF NO FILE IS WANTED\n USE: PAROUT F F\n",
       "NAMES: INCORRECT NAME /dev/null SEE KEYWORD: DIRECT IF NO FILE IS WANTED USE: PAROUT F F"},
      // A bad line of the card, and not their number.
      {"TSTART T\n DATAC : UNKNOWN KEYWORD: TSTART\n" + end, "DATAC : UNKNOWN KEYWORD: TSTART"},
      {"RUNNR abc\n DATACARD RUNNR PARAMETER 1 IS NOT INTEGER: ABC\n" + end,
       "DATACARD RUNNR PARAMETER 1 IS NOT INTEGER: ABC"},
      {"NSHOW\n DATACARD NSHOW HAS NO PARAMETER(S)\n" + end, "DATACARD NSHOW HAS NO PARAMETER(S)"},
      // Nothing is said, or the run came to its end.
      {kBegin, ""},
      {kBegin + " ERROR OF NO WEIGHT\n ===== END OF RUN =====\n", ""}};
  for (const auto& [log, why] : cases) EXPECT_EQ(why_stopped(log), why);
  EXPECT_EQ(why_stopped(" ERROR " + std::string(1000, 'x')).size(), 300U);
}

TEST(CorsikaLog, NamesOfOutputs) {
  EXPECT_EQ(
      outputs_named(" PARTICLE OUTPUT TO FILE: ./DAT000001      \n TABLE OUTPUT TO FILE : 'a/DAT000001.tab'\n"
                    "Telescope output file: '+light.dat:5'\n CHERENKOV OUTPUT TO FILE: ./DAT000001\n"),
      (std::vector<std::string>{"DAT000001", "a/DAT000001.tab", "light.dat"}));
  EXPECT_TRUE(
      outputs_named("Telescope output file: '|cat'\nTelescope output file: 'x_$RUNNR'\n"
                    " PARTICLE OUTPUT TO FILE: /data/DAT000001\n PARTICLE OUTPUT TO FILE: ../DAT000001\n")
          .empty());
}

// PAROUT F: no particle file is written, and the line on light names it.
TEST(CorsikaLog, TheParticleFileIsNotNamedForLight) {
  EXPECT_TRUE(outputs_named(" CHERENKOV OUTPUT TO FILE: ./DAT000001\n").empty());
  EXPECT_EQ(
      outputs_named(" CHERENKOV OUTPUT TO FILE: ./CER000001\n CHERENKOV OUTPUT TO FILE: DAT000001.cher\n"),
      (std::vector<std::string>{"CER000001", "DAT000001.cher"}));
}

}  // namespace
}  // namespace overlay
