#include "overlay/build/our_library.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "support/temporary_folder.hpp"

using namespace overlay;
namespace fs = std::filesystem;

namespace {

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

}  // namespace

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

TEST(OurLibrary, BlanksInTheCheckoutsPathAreAnError) {
  Checkout checkout("my checkout of it");
  EXPECT_NE(error_of([&] {
              find_our_library(checkout.root, checkout.includes(), "off");
            }).find("cannot take the blanks"),
            std::string::npos);
}

TEST(OurLibrary, WhatIsNotBuiltIsNamed) {
  Checkout checkout("checkout");
  fs::remove(checkout.root / "lib" / "libours.a");
  EXPECT_NE(error_of([&] {
              find_our_library(checkout.root, checkout.includes(), "off");
            }).find("libours.a is not there; build the project first"),
            std::string::npos);
}
