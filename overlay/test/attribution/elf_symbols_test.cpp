#include "overlay/attribution/elf_symbols.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

TEST(ElfSymbols, PlainNames) {
  EXPECT_EQ(plain_name("rmmard_"), "rmmard");
  EXPECT_EQ(plain_name("s_rndm_"), "s_rndm");
  EXPECT_EQ(plain_name("coranh_.part.0.constprop.0"), "coranh");
  EXPECT_EQ(plain_name("MAIN__"), "main_");
  EXPECT_EQ(demangled("_ZN6ranmar4fillEv"), "ranmar::fill()");
  EXPECT_EQ(demangled("rmmard_"), "rmmard_");
}

TEST(ElfSymbols, FunctionsOfAProgram) {
  const ElfSymbols symbols(BURNER);
  EXPECT_GT(symbols.size(), 3u);
  EXPECT_TRUE(symbols.has_line_table());
  EXPECT_EQ(symbols.function_at(1), "");
}

TEST(ElfSymbols, OtherFilesAreErrors) {
  support::TemporaryFolder folder;
  EXPECT_THROW(ElfSymbols(folder.write("a", "text")), support::Error);
  EXPECT_THROW(ElfSymbols(folder.write("b", std::string("\x7f"
                                                        "ELF\x02\x01",
                                                        6))),
               support::Error);
}

}  // namespace
}  // namespace overlay
