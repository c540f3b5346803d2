#include "overlay/build/coconut.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.hpp"
#include "overlay/build/tree_copy.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

using namespace overlay;

namespace {

struct FakeTree {
  support::TemporaryFolder folder;
  std::filesystem::path tree = folder.path() / "tree";
  FakeTree() {
    copy_sources(FAKE_TREE, tree);
    std::filesystem::create_directories(tree / "bernlohr");
    folder.write("tree/bernlohr/iact.c", "/* ours */");
  }
  Configuration configuration(std::vector<std::string> options, const std::string& mood = "") const {
    return {
        tree, std::move(options), {{"F77", "gfortran"}, {"FAKE_COCONUT", mood}}, folder.path() / "log", 5};
  }
};

}  // namespace

TEST(Coconut, KnowsTheOptionsOfItsMenus) {
  EXPECT_EQ(unknown_options(FAKE_TREE, {"IACT", "GHEISHA", "GONE", "QGSJET_III", "___"}),
            (std::vector<std::string>{"GONE", "___"}))
      << "one is commented out";
  const support::TemporaryFolder folder;
  EXPECT_NE(error_of([&] { unknown_options(folder.path(), {}); }).find("not in a form that is known"),
            std::string::npos);
}

TEST(Coconut, AnswersByNameAndReadsBackWhatWasSelected) {
  FakeTree fake;
  auto selected = configure_with_coconut(
      fake.configuration({"QGSJET01", "URQMD", "VOLUMEDET", "CERENKOV", "IACT", "CERWLEN"}));
  std::sort(selected.begin(), selected.end());
  const std::vector<std::string> expected{"CERENKOV", "CERWLEN", "IACT",     "NOM32",
                                          "QGSJET01", "URQMD",   "VOLUMEDET"};
  EXPECT_EQ(selected, expected);
  // Again, with other options: nothing of the first time is left.
  selected = configure_with_coconut(fake.configuration({"QGSJETII", "GHEISHA"}));
  EXPECT_EQ(std::count(selected.begin(), selected.end(), "IACT"), 0);
  EXPECT_EQ(std::count(selected.begin(), selected.end(), "QGSJETII"), 1);
  EXPECT_FALSE(std::filesystem::exists(fake.tree / "run" / "corsika77990Fake"))
      << "make is not coconut's business";
}

TEST(Coconut, SelectedOptionsAreWholeNamesOnALineOfTheirOwn) {
  support::TemporaryFolder folder;
  folder.write("include/config.h",
               "#define __CACHE_IACT__ 1\n"
               "#define __CACHE____ 1\n"
               "#define __CACHE__CERENKOV 1\n"
               "/* #define __CACHE_SLANT__ 1 */\n"
               "#define __CACHE_URQMD\n"
               "#define __CACHE_ATMEXT__");
  EXPECT_EQ(selected_options(folder.path()), (std::vector<std::string>{"IACT", "ATMEXT"}));
}

TEST(Coconut, AnOptionWithTwoNamesIsOneOption) {
  for (const char* name : {"QGSJETIII", "QGSJET_III"}) {
    FakeTree fake;
    const auto selected = configure_with_coconut(fake.configuration({name, "URQMD"}));
    EXPECT_EQ(std::count(selected.begin(), selected.end(), "QGSJETIII"), 1) << name;
    EXPECT_EQ(std::count(selected.begin(), selected.end(), "QGSJET_III"), 1) << name;
  }
}

TEST(Coconut, ErrorsSayWhatIsWrong) {
  FakeTree fake;
  const std::vector<std::string> options{"QGSJET01", "GHEISHA", "CERENKOV", "IACT", "CERWLEN"};
  auto message = [&](const Configuration& c) { return error_of([&] { configure_with_coconut(c); }); };
  EXPECT_NE(message(fake.configuration(options, "loop")).find("again and again"), std::string::npos);
  EXPECT_NE(message(fake.configuration(options, "conflict"))
                .find("IACT and QGSJET01 exclude each other; leave one"),
            std::string::npos)
      << message(fake.configuration(options, "conflict"));
  EXPECT_NE(message(fake.configuration(options, "drop")).find("did not select CERWLEN"), std::string::npos);
  EXPECT_NE(message(fake.configuration(options, "fail")).find("cannot guess build type"), std::string::npos);
  EXPECT_NE(message(fake.configuration({"QGSJET01", "NOSUCH"})).find("no option NOSUCH"), std::string::npos);
  EXPECT_NE(message(fake.configuration({"QGSJET01"})).find("no low energy"), std::string::npos);
  EXPECT_NE(message(fake.configuration({"QGSJET01", "QGSJETII", "GHEISHA"})).find("asks for both"),
            std::string::npos);
  auto slow = fake.configuration(options, "hang");
  slow.timeout_s = 1;
  EXPECT_NE(message(slow).find("did not end within 1 s"), std::string::npos);
  std::filesystem::remove(fake.tree / "bernlohr" / "iact.c");
  EXPECT_NE(message(fake.configuration(options)).find("misses a package"), std::string::npos);
}
