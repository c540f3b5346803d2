#include "overlay/attribution/instructions.hpp"

#include <gtest/gtest.h>

#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

using Kind = Predecessor::Kind;
using List = std::vector<Predecessor>;

Predecessor falls_through(std::uint64_t address) { return {Kind::instruction, address, {}, true}; }
Predecessor from(std::uint64_t address) { return {Kind::instruction, address, {}, false}; }

const char* const kListing =
    "\n"
    "program:     file format elf64-x86-64\n"
    "\n"
    "Disassembly of section .plt:\n"
    "\n"
    "0000000000001000 <log@plt-0x10>:\n"
    "    1000:\tpush   0x2fca(%rip)        # 3ff0 <_GLOBAL_OFFSET_TABLE_+0x8>\n"
    "    1006:\tjmp    *0x2fcc(%rip)        # 3ff8 <_GLOBAL_OFFSET_TABLE_+0x10>\n"
    "    100c:\tnopl   0x0(%rax)\n"
    "\n"
    "0000000000001010 <log@plt>:\n"
    "    1010:\tjmp    *0x2fca(%rip)        # 4000 <log@GLIBC_2.29>\n"
    "    1016:\tpush   $0x0\n"
    "    101b:\tjmp    1000 <_init+0x20>\n"
    "\n"
    "Disassembly of section .text:\n"
    "\n"
    "0000000000002000 <draw_>:\n"
    "    2000:\tdivsd  %xmm1,%xmm0\n"
    "    2004:\tmulsd  %xmm2,%xmm0\n"
    "    2008:\tucomisd %xmm1,%xmm0\n"
    "    200c:\tjp     2020 <draw_+0x20>\n"
    "    200e:\trepz ret\n"
    "    2010:\tnopw   0x0(%rax,%rax,1)\n"
    "    2016:\txchg   %ax,%ax\n"
    "    2018:\tmov    %rax,%rbx\n"
    "    201b:\tnotrack jmp *%rax\n"
    "    201e:\txchg   %ax,%ax\n"
    "    2020:\tcall   1010 <log@plt>\n"
    "    2025:\taddsd  %xmm1,%xmm0\n"
    "    2029:\tcall   *%rdx\n"
    "    202b:\tsubsd  %xmm1,%xmm0\n"
    "    202f:\tud2\n"
    "\n"
    "0000000000002031 <use_>:\n"
    "    2031:\tsub    $0x8,%rsp\n"
    "    2035:\tdata16 rex.W call 2000 <draw_>\n"
    "    203a:\tadd    $0x8,%rsp\n"
    "    203e:\tjne    2031 <use_>\n"
    "    2040:\tjmp    2000 <draw_>\n"
    "\t...\n"
    "    2060:\tmov    %rax,%rbx\n";

TEST(Instructions, AStubOfAFunctionThatTheProcessorChoosesIsThatFunction) {
  const Instructions instructions(
      "libm.so.6:     file format elf64-x86-64\n"
      "0000000000001030 <*ABS*+0x31c20@plt>:\n"
      "    1030:\tjmp    *0x2fca(%rip)        # 4000 <x>\n"
      "0000000000001040 <*ABS*+0xzz@plt>:\n"
      "    1040:\tjmp    *0x2fca(%rip)        # 4008 <x>\n"
      "0000000000002000 <tan>:\n"
      "    2000:\tcall   1030 <*ABS*+0x31c20@plt>\n"
      "    2005:\tcall   1040 <*ABS*+0xzz@plt>\n"
      "    200a:\tret\n");
  EXPECT_EQ(instructions.before(0x2005), (List{{Kind::function, 0x31c20, {}, true}}));
  EXPECT_EQ(instructions.before(0x200a), (List{{Kind::function, 0x1040, {}, true}})) << "in no known form";
}

TEST(Instructions, FallThrough) {
  const Instructions instructions(kListing);
  EXPECT_EQ(instructions.size(), 27u);
  EXPECT_EQ(instructions.before(0x2004), List{falls_through(0x2000)});
  EXPECT_EQ(instructions.before(0x2008), List{falls_through(0x2004)});
}

TEST(Instructions, BehindABranchAndAtItsTarget) {
  const Instructions instructions(kListing);
  EXPECT_EQ(instructions.before(0x200e), List{falls_through(0x200c)});
  EXPECT_EQ(instructions.before(0x2020), List{from(0x200c)}) << "padding behind a jump is never run";
}

TEST(Instructions, AfterReturnAndJumpNothingIsKnown) {
  const Instructions instructions(kListing);
  EXPECT_TRUE(instructions.before(0x2010).empty());
  EXPECT_TRUE(instructions.before(0x2018).empty()) << "padding behind a return is never run";
  EXPECT_TRUE(instructions.before(0x201e).empty());
  EXPECT_TRUE(instructions.before(0x2060).empty()) << "after a gap";
}

TEST(Instructions, AfterACall) {
  const Instructions instructions(kListing);
  EXPECT_EQ(instructions.before(0x203a), (List{{Kind::function, 0x2000, {}, true}}));
  EXPECT_EQ(instructions.before(0x2025), (List{{Kind::library, 0, "log", true}}));
  EXPECT_TRUE(instructions.before(0x202b).empty()) << "an indirect call";
}

TEST(Instructions, FunctionsFirstInstruction) {
  const Instructions instructions(kListing);
  EXPECT_EQ(instructions.before(0x2000), (List{from(0x2035), from(0x2040)}));
  EXPECT_EQ(instructions.before(0x2031), List{from(0x203e)}) << "not the ud2 of the function before";
  EXPECT_EQ(instructions.before(0x1010), List{from(0x2020)});
}

TEST(Instructions, NoInstructionThere) {
  const Instructions instructions(kListing);
  EXPECT_TRUE(instructions.before(0x2001).empty());
  EXPECT_TRUE(instructions.before(0).empty());
  EXPECT_TRUE(instructions.before(0x99999).empty());
}

TEST(Instructions, PaddingOnTheWay) {
  const Instructions instructions(
      "x:     file format elf64-x86-64\n0000000000401000 <f>:\n"
      "  401000:\tadd    $0x1,%rax\n  401004:\tnop\n  401005:\tsub    $0x1,%rcx\n  401009:\tjne    401005 "
      "<f+0x5>\n"
      "ffffffff81000000 <far>:\nffffffff81000000:\tnop\nffffffff81000001:\tret\n");
  EXPECT_EQ(instructions.before(0x401005), (List{falls_through(0x401004), from(0x401009)}));
  EXPECT_EQ(instructions.before(0xffffffff81000001), List{falls_through(0xffffffff81000000)});
}

TEST(Instructions, Aarch64) {
  const Instructions instructions(
      "x:     file format elf64-littleaarch64\n0000000000000400 <f>:\n"
      "     400:\tfdiv\td0, d0, d1\n     404:\tcbz\tx0, 414 <f+0x14>\n     408:\tb.ne\t414 <f+0x14>  // "
      "b.any\n"
      "     40c:\tbl\t418 <g>\n     410:\tret\n     414:\tb\t410 <f+0x10>\n"
      "0000000000000418 <g>:\n     418:\tblr\tx8\n     41c:\tnop\n     420:\tbr\tx16\n");
  EXPECT_EQ(instructions.before(0x404), List{falls_through(0x400)});
  EXPECT_EQ(instructions.before(0x410), (List{{Kind::function, 0x418, {}, true}, from(0x414)}));
  EXPECT_EQ(instructions.before(0x414), (List{from(0x404), from(0x408)}));
  EXPECT_EQ(instructions.before(0x418), List{from(0x40c)});
  EXPECT_TRUE(instructions.before(0x41c).empty());
}

TEST(Instructions, OtherProcessorsAndOtherTextAreEmpty) {
  EXPECT_TRUE(Instructions("").empty());
  EXPECT_TRUE(Instructions("hello: world\n").empty());
  EXPECT_TRUE(
      Instructions("x:     file format elf64-powerpcle\n0000000000000400 <f>:\n     400:\tblr\n").empty());
}

TEST(Instructions, OfAProgram) {
  if (!support::find_program("objdump")) GTEST_SKIP() << "objdump is not installed";
  support::TemporaryFolder folder;
  EXPECT_TRUE(disassemble(folder.write("text", "text")).empty());
  const Instructions instructions = disassemble(PREDECESSORS);
#if defined(__x86_64__) || defined(__aarch64__)
  EXPECT_GT(instructions.size(), 20u);
#endif
}

}  // namespace
}  // namespace overlay
