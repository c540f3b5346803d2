#include <gtest/gtest.h>

#include "corsika_patches/ranmar_steps.h"

using corsika_patches::matches;

TEST(StatementPattern, PlaceholdersTakeWhatTheySay) {
  std::vector<std::string> taken;
  EXPECT_TRUE(matches("C(JSEQ)=C(JSEQ)-CD", "C(%s)=C(%=)-CD", "", taken));
  EXPECT_EQ(taken, std::vector<std::string>{"JSEQ"});
  EXPECT_TRUE(matches("C(12)=C(12)-CD", "C(%s)=C(%=)-CD", "", taken));
  EXPECT_FALSE(matches("C(12)=C(1)-CD", "C(%s)=C(%=)-CD", "", taken));
  EXPECT_FALSE(matches("C(JSEQX)=C(JSEQX)-CD", "C(%s)=C(%=)-CD", "", taken));
  EXPECT_FALSE(matches("C()=C()-CD", "C(%s)=C(%=)-CD", "", taken));
  EXPECT_TRUE(matches("DO10,I=1,LENV", "DO%d%,%n=1,%w", "", taken));
  EXPECT_EQ(taken, (std::vector<std::string>{"10", "I", "LENV"}));
  EXPECT_TRUE(matches("DOI=1,LENV", "DO%d%,%n=1,%w", "", taken));
  EXPECT_EQ(taken, (std::vector<std::string>{"", "I", "LENV"}));
  EXPECT_FALSE(matches("DO10,1=1,LENV", "DO%d%,%n=1,%w", "", taken));
}

TEST(StatementPattern, ValueAndConstants) {
  std::vector<std::string> taken;
  for (const char* text : {"IF(UNI.LT.0.)UNI=UNI+1.", "IF(UNI.LT.0)UNI=UNI+1"})
    EXPECT_TRUE(matches(text, "IF(%v.LT.%0)%v=%v+%1", "UNI", taken)) << text;
  for (const char* text :
       {"IF(UNI.LT.0.)UNI=UNI+1.5", "IF(UNI.LT.0.5)UNI=UNI+1.", "IF(UN.LT.0.)UN=UN+1.", ""})
    EXPECT_FALSE(matches(text, "IF(%v.LT.%0)%v=%v+%1", "UNI", taken)) << text;
  EXPECT_FALSE(matches("IF(.LT.0.)=+1.", "IF(%v.LT.%0)%v=%v+%1", "", taken));
}

TEST(StatementPattern, AllOfTheText) {
  EXPECT_TRUE(matches("RETURN", "RETURN"));
  EXPECT_FALSE(matches("RETURN1", "RETURN"));
  EXPECT_FALSE(matches("RETUR", "RETURN"));
}
