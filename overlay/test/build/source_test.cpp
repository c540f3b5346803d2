// Sources: releases, archives, and their coconut.
#include "overlay/build/source.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "error_of.hpp"
#include "overlay/build/build.hpp"
#include "support/checksum.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

TEST(Source, ReleaseOfACheckoutWithoutConfigure) {
  EXPECT_EQ(release_of(FAKE_TREE), "7.7990");
  support::TemporaryFolder folder;
  folder.write("tree/coconut", "#!/usr/bin/perl\n");
  folder.write("tree/src/corsika.F", "#define __DATE__ x\n#define __CVERSION__ 7.8050\n");
  const auto tree = folder.path() / "tree";
  EXPECT_ERROR("no CORSIKA 7 tree: it has no configure", release_of(tree));
  for (const char* line :
       {"AC_INIT(corsika,78010)", "AC_INIT([corsika], [78010], [x@y.z])", "AC_INIT(corsika, 7.8010 )"}) {
    folder.write("tree/configure.ac", std::string("# top\n") + line + "\nAC_OUTPUT\n");
    EXPECT_EQ(release_of(tree), "7.8010") << line;
  }
  folder.write("tree/configure.ac", "AC_INIT([corsika], m4_esyscmd([git describe]))\n");
  EXPECT_EQ(release_of(tree), "7.8050") << "by the source itself";
  folder.write("tree/configure", "PACKAGE_VERSION='v7-8-0'\n");
  EXPECT_EQ(release_of(tree), "7.8050");
  for (const std::string digits : {"69900", "73999", "79000"}) {
    folder.write("tree/configure", "PACKAGE_VERSION='" + digits + "'\n");
    EXPECT_ERROR("outside 7.4 to 7.8", release_of(tree));
  }
  folder.write("tree/configure", "PACKAGE_VERSION='v7-8-0'\n");
  folder.write("tree/src/corsika.F", "      PROGRAM MAIN\n");
  EXPECT_ERROR("its configure says 'v7-8-0'", release_of(tree));
}

TEST(Source, TwoProcessesAndOneThatWasKilledUnpackOneArchive) {
  support::TemporaryFolder folder;
  copy_sources(FAKE_TREE, folder.path() / "corsika-77990");
  const auto archive = folder.path() / "corsika-77990.tar.gz";
  support::run({.argv = {"tar", "-czf", archive.string(), "-C", folder.path().string(), "corsika-77990"}});
  BuildRequest request;
  request.corsika = archive.string();
  request.out = folder.path() / "out";
  folder.write("out/source/.unfinished-abcdef/tree/configure", "left by one that was killed");
  folder.write("out/source/mine", "a user's own");
  constexpr int kProcesses = 4;
  for (int i = 0; i < kProcesses; ++i)
    if (fork() == 0) {
      try {
        _exit(release_of(obtain_source(request).source) == "7.7990" ? 0 : 1);
      } catch (...) {
        _exit(2);
      }
    }
  for (int i = 0; i < kProcesses; ++i) {
    int status = -1;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  const auto entries = std::filesystem::directory_iterator(request.out / "source");
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 2) << "the tree, and the user's own file";
  EXPECT_EQ(folder.read("out/source/mine"), "a user's own");
  const auto list = folder.read("out/known-releases.toml");
  EXPECT_EQ(list.find("[[release]]"), list.rfind("[[release]]")) << "recorded once:\n" << list;
}

TEST(Source, AnArchiveIsKnownByItsChecksumAndMayBeAZip) {
  support::TemporaryFolder folder;
  copy_sources(FAKE_TREE, folder.path() / "corsika");
  const auto archive = folder.path() / "of-a-stranger.zip";
  support::run({{"cmake", "-E", "tar", "cf", archive.string(), "--format=zip", "corsika"}, folder.path()});
  BuildRequest request;
  request.corsika = archive.string();
  request.out = folder.path() / "out";
  request.known = folder.write("list.toml", "[[release]]\nmd5 = \"" + support::md5_of_file(archive) + "\"\n");
  EXPECT_EQ(obtain_source(request).notes, std::vector<std::string>());
  request.known.reset();
  EXPECT_PRED2(holds, support::join(obtain_source(request).notes), "recorded at first use");
  EXPECT_PRED2(holds, support::read_file(profiles_folder() / "known-releases.toml"),
               "[[release]]\nversion = \"7.7410\"\nmd5 = \"d8df399fd7c92d053f0cae7b3e500cf9\"")
      << "Zenodo, record 5246070";
  request.corsika = (folder.path() / "corsika").string();
  const auto before = obtain_source(request).source_id;
  for (const char* made : {"include/config.h", "src/corsika.o", ".git/index"})
    folder.write(std::string("corsika/") + made, "of one who built there");
  EXPECT_EQ(obtain_source(request).source_id, before);
  folder.write("corsika/src/corsika.F", "      PROGRAM OTHER\n");
  EXPECT_NE(obtain_source(request).source_id, before);
}

struct FakeTree {
  support::TemporaryFolder folder;
  std::filesystem::path tree = folder.path() / "tree";
  FakeTree() {
    copy_sources(FAKE_TREE, tree);
    std::filesystem::create_directories(tree / "bernlohr");
    folder.write("tree/bernlohr/iact.c", "/* ours */");
  }
  void configure(const std::vector<std::string>& options, const std::string& mood = "",
                 int timeout_s = 5) const {
    configure_with_coconut(tree, options, {{"F77", "gfortran"}, {"FAKE_COCONUT", mood}},
                           folder.path() / "log", timeout_s);
  }
};

TEST(Coconut, KnowsTheOptionsOfItsMenus) {
  EXPECT_EQ(unknown_options(FAKE_TREE, {"IACT", "GHEISHA", "GONE", "QGSJET_III", "QGSJET-III", "___"}),
            (std::vector<std::string>{"GONE", "___"}))
      << "one is commented out";
  const auto out = options_left_out(FAKE_TREE, {"GHEISHA", "IACT"});
  for (const std::string name : {"CURVED", "URQMD"}) EXPECT_EQ(std::count(out.begin(), out.end(), name), 1);
  for (const std::string name : {"GHEISHA", "IACT", "QGSJET01"})
    EXPECT_EQ(std::count(out.begin(), out.end(), name), 0)
        << "asked for, or of a menu with a choice of its own";
  const support::TemporaryFolder folder;
  EXPECT_ERROR("not in a form that is known", unknown_options(folder.path(), {}));
}

TEST(Coconut, AnswersByNameAndReadsBackWhatWasSelected) {
  FakeTree fake;
  const auto selected_of = [&](const std::vector<std::string>& options) {
    fake.configure(options);
    return selected_options(fake.tree);
  };
  auto selected = selected_of({"QGSJET01", "URQMD", "VOLUMEDET", "CERENKOV", "IACT", "CERWLEN"});
  std::sort(selected.begin(), selected.end());
  const std::vector<std::string> expected{"CERENKOV", "CERWLEN", "IACT",     "NOM32",
                                          "QGSJET01", "URQMD",   "VOLUMEDET"};
  EXPECT_EQ(selected, expected);
  // Again, with other options: nothing of the first time is left.
  selected = selected_of({"QGSJETII", "GHEISHA"});
  EXPECT_EQ(std::count(selected.begin(), selected.end(), "IACT"), 0);
  EXPECT_EQ(std::count(selected.begin(), selected.end(), "QGSJETII"), 1);
  for (const char* name : {"QGSJETIII", "QGSJET_III"}) {  // one option with two names
    selected = selected_of({name, "URQMD"});
    for (const char* either : {"QGSJETIII", "QGSJET_III"})
      EXPECT_EQ(std::count(selected.begin(), selected.end(), either), 1) << name;
  }
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

TEST(Coconut, ErrorsSayWhatIsWrong) {
  FakeTree fake;
  const std::vector<std::string> options{"QGSJET01", "GHEISHA", "CERENKOV", "IACT", "CERWLEN"};
  const auto message = [&](const std::vector<std::string>& asked, const std::string& mood = "",
                           int timeout_s = 5) {
    return error_of([&] { fake.configure(asked, mood, timeout_s); });
  };
  for (const auto& [mood, part] : {std::pair{"loop", "again and again"},
                                   {"conflict", "IACT and QGSJET01 exclude each other; leave one"},
                                   {"drop", "did not select CERWLEN"},
                                   {"fail", "cannot guess build type"}})
    EXPECT_PRED2(holds, message(options, mood), part);
  EXPECT_PRED2(holds, message({"QGSJET01", "NOSUCH"}), "no option NOSUCH");
  EXPECT_PRED2(holds, message({"QGSJET01"}), "no low energy");
  EXPECT_PRED2(holds, message({"QGSJET01", "QGSJETII", "GHEISHA"}), "asks for both");
  EXPECT_PRED2(holds, message(options, "hang", 1), "did not end within 1 s");
  std::filesystem::remove(fake.tree / "bernlohr" / "iact.c");
  EXPECT_PRED2(holds, message(options), "misses a package");
}

}  // namespace
}  // namespace overlay
