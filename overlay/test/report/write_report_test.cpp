// The folder of a report: what is replaced, what is left alone, and where a report goes that cannot be put
// there.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "error_of.hpp"
#include "overlay/report/report.hpp"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

Report named(const std::string& profile) {
  Report report;
  report.profile = profile;
  return report;
}

std::string profile_in(const support::TemporaryFolder& folder, const std::string& name) {
  return nlohmann::json::parse(folder.read(name + "/report.json"))["profile"];
}

long entries_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(WriteReport, ReplacesAnOlderOneByWhateverNameAndNothingElseIsLeft) {
  const support::TemporaryFolder folder;
  const fs::path plain = folder.path() / "report";
  folder.write("report/report.json", "old");
  folder.write("report/.overlay-report", "old");
  for (const std::string& name : {plain.string(), plain.string() + "/", plain.string() + "//",
                                  plain.string() + "/.", (folder.path() / "report/../report").string()}) {
    check_report_folder(name);
    EXPECT_TRUE(write_report(named(name), name).empty());
    EXPECT_EQ(profile_in(folder, "report"), name);
    EXPECT_EQ(entries_in(plain), 3) << "report.json, report.html, report.md";
    EXPECT_EQ(entries_in(folder.path()), 1) << name;
  }
}

TEST(WriteReport, ALinkToAFolderIsFollowedAndStays) {
  const support::TemporaryFolder folder;
  fs::create_directory(folder.path() / "disk");
  fs::create_directory_symlink("disk", folder.path() / "report");
  write_report(named("first"), folder.path() / "report");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "report"));
  EXPECT_EQ(profile_in(folder, "disk"), "first");
}

TEST(WriteReport, FoldersAboveItAreMadeWhenItIsWritten) {
  const support::TemporaryFolder folder;
  check_report_folder(folder.path() / "a/b/report");
  EXPECT_EQ(entries_in(folder.path()), 0) << "a check leaves nothing";
  const mode_t mask = umask(022);
  write_report(named("first"), folder.path() / "a/b/report");
  umask(mask);
  EXPECT_EQ(profile_in(folder, "a/b/report"), "first");
  EXPECT_EQ(fs::status(folder.path() / "a/b/report").permissions() & fs::perms::all, fs::perms{0755});
}

TEST(WriteReport, AnyBytesInCardPathAndLogSurvive) {
  const support::TemporaryFolder folder;
  Report report = named("x");
  report.card = "USER Jos\xe9\nEXIT\n";
  report.notes = {"the log says caf\xe9"};
  write_report(report, folder.path() / "r\xe9sultats");
  EXPECT_NE(folder.read("r\xe9sultats/report.json").find("USER Jos\xef\xbf\xbd"), std::string::npos);
  EXPECT_NE(folder.read("r\xe9sultats/report.md").find("USER Jos\xe9"), std::string::npos);
}

TEST(CheckReportFolder, RefusesWhatIsNotAReports) {
  const support::TemporaryFolder folder;
  folder.write("mine/thesis.tex", "years of work");
  folder.write("mine/report.json", "of another program");
  folder.write("file", "x");
  fs::create_directories(folder.path() / "odd/report.md");
  const std::string cases[][2] = {{"mine", "holds thesis.tex, which no report wrote"},
                                  {"odd", "holds report.md, which no report wrote"},
                                  {"file", "is not a folder"},
                                  {"file/report", "--report DIR"},
                                  {"/proc/report", "cannot make a folder in /proc"},
                                  {"/", "no report wrote"}};
  for (const auto& [name, part] : cases) {
    const std::string error = error_of([&] { check_report_folder(folder.path() / name); });
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }
}

TEST(WriteReport, OneWhoseFolderIsTakenMeanwhileIsKeptBesideIt) {
  const support::TemporaryFolder folder;
  folder.write("report/notes.txt", "put there during the runs");
  const auto error = error_of([&] { write_report(named("kept"), folder.path() / "report/"); });
  EXPECT_NE(error.find("holds notes.txt"), std::string::npos) << error;
  const std::size_t at = error.find("; it is in ");
  ASSERT_NE(at, std::string::npos) << error;
  const fs::path draft = error.substr(at + 11);
  EXPECT_EQ(profile_in(folder, draft.filename().string()), "kept");
  EXPECT_EQ(folder.read("report/notes.txt"), "put there during the runs");
}

TEST(WriteReport, OneWhoseFolderCannotBeMadeIsKeptAmongTemporaryFiles) {
  const support::TemporaryFolder folder, temporary;
  folder.write("file", "x");
  setenv("TMPDIR", temporary.path().c_str(), 1);
  EXPECT_THROW(write_report(named("kept"), folder.path() / "file" / "report"), support::Error);
  unsetenv("TMPDIR");
  ASSERT_EQ(entries_in(temporary.path()), 1);
  EXPECT_EQ(profile_in(temporary, fs::directory_iterator(temporary.path())->path().filename().string()),
            "kept");
}

}  // namespace
}  // namespace overlay
