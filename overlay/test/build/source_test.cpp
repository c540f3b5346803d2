// Sources: releases, archives, and their coconut.
#include "overlay/build/source.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "folder_test.hpp"
#include "overlay/build/build.hpp"
#include "support/checksum.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

/// A request for what is in the test's folder.
struct Source : FolderTest {
  Source() { request.out = folder.path() / "out"; }
  BuildRequest request;
};

TEST_F(Source, ReleaseOfACheckoutWithoutConfigure) {
  EXPECT_EQ(release_of(FAKE_TREE), "7.7990");
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
  const auto configure = [&](const std::string& version) {
    folder.write("tree/configure", "PACKAGE_VERSION='" + version + "'\n");
  };
  for (const char* digits : {"69900", "73999", "79000"}) {
    configure(digits);
    EXPECT_ERROR("outside 7.4 to 7.8", release_of(tree));
  }
  configure("v7-8-0");
  EXPECT_EQ(release_of(tree), "7.8050");
  folder.write("tree/src/corsika.F", "      PROGRAM MAIN\n");
  EXPECT_ERROR("its configure says 'v7-8-0'", release_of(tree));
}

TEST_F(Source, TwoProcessesAndOneThatWasKilledUnpackOneArchive) {
  copy_sources(FAKE_TREE, folder.path() / "corsika-77990");
  const auto archive = folder.path() / "corsika-77990.tar.gz";
  support::run({.argv = {"tar", "-czf", archive.string(), "-C", folder.path().string(), "corsika-77990"}});
  request.corsika = archive.string();
  folder.write("out/source/.unfinished-abcdef/tree/configure", "left by one that was killed");
  folder.write("out/source/mine", "a user's own");
  const auto unpacked = [&]() noexcept { return release_of(obtain_source(request).source) == "7.7990"; };
  for (int i = 0; i < 4; ++i)
    if (fork() == 0) _exit(unpacked() ? 0 : 1);
  for (int status = 0; wait(&status) > 0;) EXPECT_EQ(status, 0);
  const auto entries = fs::directory_iterator(request.out / "source");
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 2) << "the tree, and the user's own file";
  EXPECT_EQ(folder.read("out/source/mine"), "a user's own");
  const auto list = folder.read("out/known-releases.toml");
  EXPECT_EQ(list.find("[[release]]"), list.rfind("[[release]]")) << "recorded once:\n" << list;
}

TEST_F(Source, AnArchiveIsKnownByItsChecksumAndMayBeAZip) {
  copy_sources(FAKE_TREE, folder.path() / "corsika");
  const auto archive = folder.path() / "of-a-stranger.zip";
  support::run({{"cmake", "-E", "tar", "cf", archive.string(), "--format=zip", "corsika"}, folder.path()});
  request.corsika = archive.string();
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

/// How often each of the names is in the list, as one text.
std::string counts(const std::vector<std::string>& list, const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += std::to_string(std::ranges::count(list, name));
  return text;
}

/// A copy of the tree that configures in an instant.
struct Coconut : FolderTest {
  fs::path tree = folder.path() / "tree";
  Coconut() { copy_sources(FAKE_TREE, tree); }
  void configure(const std::vector<std::string>& options, const std::string& mood = "",
                 int timeout_s = 5) const {
    configure_with_coconut(tree, options, {{"F77", "gfortran"}, {"FAKE_COCONUT", mood}},
                           folder.path() / "log", timeout_s);
  }
};

TEST_F(Coconut, KnowsTheOptionsOfItsMenus) {
  EXPECT_EQ(unknown_options(FAKE_TREE, {"IACT", "GHEISHA", "GONE", "QGSJET_III", "QGSJET-III", "___"}),
            (std::vector<std::string>{"GONE", "___"}))
      << "one is commented out";
  EXPECT_EQ(counts(options_left_out(FAKE_TREE, {"GHEISHA", "IACT"}),
                   {"CURVED", "URQMD", "GHEISHA", "IACT", "QGSJET01"}),
            "11000")
      << "three are asked for, or of a menu with a choice of its own";
  EXPECT_ERROR("not in a form that is known", unknown_options(folder.path(), {}));
}

TEST_F(Coconut, AnswersByNameAndReadsBackWhatWasSelected) {
  const auto selected_of = [&](const std::vector<std::string>& options) {
    configure(options);
    auto selected = selected_options(tree);
    std::ranges::sort(selected);
    return selected;
  };
  EXPECT_EQ(
      selected_of({"QGSJET01", "URQMD", "VOLUMEDET", "CERENKOV", "IACT", "CERWLEN"}),
      (std::vector<std::string>{"CERENKOV", "CERWLEN", "IACT", "NOM32", "QGSJET01", "URQMD", "VOLUMEDET"}));
  EXPECT_EQ(counts(selected_of({"QGSJETII", "GHEISHA"}), {"IACT", "QGSJETII"}), "01")
      << "with other options nothing of the first time is left";
  for (const char* name : {"QGSJETIII", "QGSJET_III"})  // one option with two names
    EXPECT_EQ(counts(selected_of({name, "URQMD"}), {"QGSJETIII", "QGSJET_III"}), "11") << name;
  EXPECT_FALSE(fs::exists(tree / "run" / "corsika77990Fake")) << "make is not coconut's business";
}

TEST_F(Coconut, SelectedOptionsAreWholeNamesOnALineOfTheirOwn) {
  folder.write("include/config.h",
               "#define __CACHE_IACT__ 1\n"
               "#define __CACHE____ 1\n"
               "#define __CACHE__CERENKOV 1\n"
               "/* #define __CACHE_SLANT__ 1 */\n"
               "#define __CACHE_URQMD\n"
               "#define __CACHE_ATMEXT__");
  EXPECT_EQ(selected_options(folder.path()), (std::vector<std::string>{"IACT", "ATMEXT"}));
}

TEST_F(Coconut, ErrorsSayWhatIsWrong) {
  using Options = std::vector<std::string>;
  const Options options{"QGSJET01", "GHEISHA", "CERENKOV", "IACT", "CERWLEN"};
  for (const auto& [asked, mood, part] : std::vector<std::tuple<Options, const char*, const char*>>{
           {options, "loop", "again and again"},
           {options, "conflict", "IACT and QGSJET01 exclude each other; leave one"},
           {options, "drop", "did not select CERWLEN"},
           {{"QGSJET01", "NOSUCH"}, "", "no option NOSUCH"},
           {{"QGSJET01"}, "", "no low energy"},
           {{"QGSJET01", "QGSJETII", "GHEISHA"}, "", "asks for both"}})
    EXPECT_PRED2(holds, error_of([&, &what = asked, how = mood] { configure(what, how); }), part);
  EXPECT_ERROR("did not end within 1 s", configure(options, "hang", 1));
  fs::remove(tree / "bernlohr" / "iact.c");
  EXPECT_ERROR("misses a package", configure(options));
}

}  // namespace
}  // namespace overlay
