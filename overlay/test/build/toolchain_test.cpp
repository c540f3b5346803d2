// What a build is made with: our library, and compiler flags that are judged.
#include "overlay/build/toolchain.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

/// A build of a checkout, below a folder of the given name.
struct Checkout {
  explicit Checkout(const std::string& name) : root(folder.path() / name / "build") {
    folder.write(name + "/build/bin/corsika-patch", "patcher");
    folder.write(name + "/build/lib/libours.a", "library");
    folder.write(name + "/include/ours.inc", "C");
    folder.write(name + "/build/fortran-bindings/link-line-cpu.txt",
                 (root / "lib" / "libours.a").string() + " /usr/lib/libhwy.so.1 -lstdc++ -lm\n");
  }
  fs::path includes() const { return root.parent_path() / "include"; }
  support::TemporaryFolder folder;
  fs::path root;
};

TEST(OurLibrary, ASharedLibraryIsLinkedByName) {
  if (!fs::exists("/usr/lib/x86_64-linux-gnu/libhwy.so"))
    GTEST_SKIP() << "SKIPPED: no libhwy.so where Debian has it";
  Checkout checkout("checkout");
  checkout.folder.write(
      "checkout/build/fortran-bindings/link-line-cpu.txt",
      (checkout.root / "lib" / "libours.a").string() + " /usr/lib/x86_64-linux-gnu/libhwy.so -lstdc++ -lm\n");
  const auto library = find_our_library(checkout.root, checkout.includes(), "off");
  EXPECT_EQ(library.link_words, (checkout.root / "lib" / "libours.a").string() +
                                    " -L/usr/lib/x86_64-linux-gnu -lhwy -lstdc++ -lm");
  EXPECT_EQ(library.includes, checkout.includes());
}

TEST(OurLibrary, WhatChangesIsKnownByItsFingerprint) {
  Checkout checkout("checkout");
  checkout.folder.write("checkout/build/fortran-bindings/link-line-cpu.txt",
                        (checkout.root / "lib" / "libours.a").string() + " -lstdc++ -lm\n");
  const auto find = [&] { return find_our_library(checkout.root, checkout.includes(), "off"); };
  const auto library = find();
  checkout.folder.write("checkout/build/lib/libours.a", "changed");
  EXPECT_NE(find().library_fingerprint, library.library_fingerprint);
  EXPECT_EQ(find().patcher_fingerprint, library.patcher_fingerprint);
}

TEST(OurLibrary, WhatIsNotBuiltIsNamed) {
  Checkout checkout("checkout");
  fs::remove(checkout.root / "lib" / "libours.a");
  EXPECT_NE(error_of([&] {
              find_our_library(checkout.root, checkout.includes(), "off");
            }).find("libours.a is not there; build the project first"),
            std::string::npos);
}

std::string refusal(const std::string& flags) {
  return error_of([&] { refuse_flags_that_change_bits(flags, flags); });
}

TEST(FlagProbe, FlagsThatLeaveArithmeticAlone) {
  for (const char* flags : {"-O0", "-O2 -g -pg", "-O3"}) EXPECT_EQ(refusal(flags), "") << flags;
#ifdef __x86_64__
  for (const char* flags :
       {"-O3 -mavx2", "-march=x86-64-v3 -ffp-contract=off", "-O3 -mavx512f -ffp-contract=off"})
    EXPECT_EQ(refusal(flags), "") << flags;
#endif
}

TEST(FlagProbe, FusedOperations) {
#ifndef __x86_64__
  GTEST_SKIP() << "SKIPPED: the flags are those of x86-64";
#endif
  // A processor that nobody has here does not run them.
  for (const char* flags : {"-mfma", "-O2 -mavx512f", "-mavx512vl", "-mfma4", "-march=x86-64-v3"})
    EXPECT_NE(refusal(flags), "") << flags;
}

TEST(FlagProbe, ReorderedAndApproximateOperations) {
  EXPECT_NE(refusal("-Ofast").find("reorder sums"), std::string::npos);
  EXPECT_NE(refusal("-ffast-math").find("assume that there is no NaN"), std::string::npos);
  EXPECT_NE(refusal("-freciprocal-math").find("replace divisions"), std::string::npos);
  EXPECT_NE(refusal("-fassociative-math").find("reorder sums"), std::string::npos);
  EXPECT_NE(refusal("-O2 -funsafe-math-optimizations").find("reorder sums"), std::string::npos);
}

TEST(FlagProbe, OtherChangesOfNumbers) {
  EXPECT_NE(refusal("-fno-signed-zeros").find("sign of zero"), std::string::npos);
  EXPECT_NE(refusal("-fsingle-precision-constant").find("constants in single precision"), std::string::npos);
  EXPECT_NE(refusal("-fdefault-real-8").find("size of REAL"), std::string::npos);
#ifdef __x86_64__
  EXPECT_EQ(probe_flags("-mfpmath=387", "-mfpmath=387"), std::set<std::string>{"excess"});
#endif
}

TEST(FlagProbe, FortranAndCAreLookedAtEach) {
  EXPECT_EQ(probe_flags("-O2", "-O2 -freciprocal-math"), std::set<std::string>{"reciprocal"});
  EXPECT_EQ(probe_flags("-O2 -freciprocal-math", "-O2"), std::set<std::string>{"reciprocal"});
}

TEST(FlagProbe, FlagsThatNoCompilerTakes) {
  EXPECT_NE(refusal("-fno-such-flag").find("does not take the flags '-fno-such-flag'"), std::string::npos);
}

}  // namespace
}  // namespace overlay
