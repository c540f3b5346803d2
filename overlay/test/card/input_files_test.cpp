// What a card names to be read.
#include "overlay/card/input_files.hpp"

#include <gtest/gtest.h>

namespace overlay {
namespace {

using Names = std::vector<std::string>;

TEST(InputFiles, OfTheIactPackageAndOfCorsika) {
  EXPECT_EQ(input_files(Card("IACT TELSAMPLE 1d:sampling.dat\n*(IACT) atmofile ./atm.dat\nINFILE 'stack'\n")),
            (Names{"sampling.dat", "atm.dat", "stack"}));
  EXPECT_EQ(input_files(Card("IACT EXTPRIM primaries\nEXIT\nIACT TELSAMPLE x\n")), Names{"primaries"});
}

TEST(InputFiles, OfTheCommandThatGetsTheLight) {
  EXPECT_EQ(input_files(Card("TELFIL '|./run_sim -c \"array.cfg\" -c /etc/own.cfg'\n")), Names{"run_sim"});
  EXPECT_EQ(input_files(Card("TELFIL |tee copy.dat\n")), Names{"tee"});
  EXPECT_EQ(input_files(Card("TELFIL telescope.dat\nDIRECT ./\n")), Names{}) << "outputs are no inputs";
}

TEST(InputFiles, NamesThatLeadElsewhereAreTheCardsBusiness) {
  EXPECT_EQ(input_files(Card("INFILE /data/stack\nIACT TELSAMPLE ../s\nIACT EXTPRIM ..\nATMFILE\n")),
            Names{});
}

}  // namespace
}  // namespace overlay
