// The folder of a report: what is replaced, and what is left alone.
#include "overlay/report/report_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "error_of.hpp"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

int entries_in(const fs::path& folder) {
  int entries = 0;
  for (fs::directory_iterator it(folder), end; it != end; ++it) ++entries;
  return entries;
}

void publish(const fs::path& folder, const std::string& text) {
  ReportFolder report(folder);
  report.write("report.json", text);
  EXPECT_TRUE(report.publish().empty());
}

TEST(ReportFolder, IsPublishedAsAWholeAndReplacesAnOlderReport) {
  const support::TemporaryFolder folder;
  publish(folder.path() / "report", "first");
  {
    ReportFolder report(folder.path() / "report");
    report.write("report.md", "second");
    EXPECT_EQ(folder.read("report/report.json"), "first") << "until it is published";
    EXPECT_TRUE(report.publish().empty());
  }
  EXPECT_FALSE(fs::exists(folder.path() / "report/report.json")) << "of the first report";
  EXPECT_EQ(folder.read("report/report.md"), "second");
  EXPECT_EQ(entries_in(folder.path()), 1) << "nothing else is left";
}

TEST(ReportFolder, ADraftThatIsNotPublishedIsDeletedAndTheOlderReportStays) {
  const support::TemporaryFolder folder;
  publish(folder.path() / "report", "first");
  { ReportFolder(folder.path() / "report").write("report.json", "half"); }
  EXPECT_EQ(folder.read("report/report.json"), "first");
  EXPECT_EQ(entries_in(folder.path()), 1);
}

TEST(ReportFolder, AFolderOfTheUsersIsNotReplaced) {
  const support::TemporaryFolder folder;
  folder.write("mine/thesis.tex", "years of work");
  folder.write("mine/report.json", "of another program");
  for (const std::string& error : {error_of([&] { check_report_folder(folder.path() / "mine"); }),
                                   error_of([&] { ReportFolder(folder.path() / "mine"); })})
    EXPECT_NE(error.find("holds thesis.tex, which no report wrote"), std::string::npos) << error;
  EXPECT_EQ(folder.read("mine/thesis.tex"), "years of work");
  EXPECT_EQ(entries_in(folder.path()), 1);
}

TEST(ReportFolder, AFileThatTheUserPutIntoAReportIsNotDeleted) {
  const support::TemporaryFolder folder;
  publish(folder.path() / "report", "first");
  folder.write("report/notes.txt", "mine");
  EXPECT_NE(error_of([&] { check_report_folder(folder.path() / "report"); }).find("holds notes.txt"),
            std::string::npos);
  fs::remove(folder.path() / "report/notes.txt");
  fs::create_directory(folder.path() / "report/report.md");
  EXPECT_NE(error_of([&] { check_report_folder(folder.path() / "report"); }).find("holds report.md"),
            std::string::npos);
}

TEST(ReportFolder, AFileThatAppearsWhileTheRunsGoOnIsNotDeleted) {
  const support::TemporaryFolder folder;
  publish(folder.path() / "report", "first");
  ReportFolder report(folder.path() / "report");
  report.write("report.json", "second");
  folder.write("report/notes.txt", "mine");
  const std::string error = error_of([&] { report.publish(); });
  EXPECT_NE(error.find("it is whole in " + report.draft().string()), std::string::npos) << error;
  EXPECT_EQ(folder.read("report/notes.txt"), "mine");
  EXPECT_EQ(folder.read("report/report.json"), "first");
  EXPECT_EQ(folder.read(report.draft().filename().string() + "/report.json"), "second");
}

TEST(ReportFolder, AReportOfAnOlderOverlayAndAnEmptyFolderAreReplaced) {
  const support::TemporaryFolder folder;
  folder.write("old/report.json", "old");
  folder.write("old/report.md", "old");
  folder.write("old/stages.png", "old");
  fs::create_directory(folder.path() / "empty");
  for (const char* name : {"old", "empty"}) {
    publish(folder.path() / name, "new");
    EXPECT_EQ(folder.read(std::string(name) + "/report.json"), "new");
    EXPECT_FALSE(fs::exists(folder.path() / name / "report.md"));
  }
}

TEST(ReportFolder, ATrailingSlashAndOtherFormsOfANameAreTheSameFolder) {
  const support::TemporaryFolder folder;
  const fs::path plain = folder.path() / "report";
  for (const std::string& name : {plain.string() + "/", plain.string() + "//", plain.string() + "/.",
                                  (folder.path() / "report/../report").string()}) {
    check_report_folder(name);
    publish(name, name);
    EXPECT_EQ(folder.read("report/report.json"), name);
    EXPECT_EQ(entries_in(folder.path()), 1);
  }
}

TEST(ReportFolder, ALinkToAFolderIsFollowedAndStays) {
  const support::TemporaryFolder folder;
  fs::create_directory(folder.path() / "disk");
  fs::create_directory_symlink("disk", folder.path() / "report");
  publish(folder.path() / "report", "first");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "report"));
  EXPECT_EQ(folder.read("disk/report.json"), "first");
}

TEST(ReportFolder, FoldersAboveItAreMadeWhenItIsWritten) {
  const support::TemporaryFolder folder;
  check_report_folder(folder.path() / "a/b/report");
  EXPECT_EQ(entries_in(folder.path()), 0) << "a check leaves nothing";
  publish(folder.path() / "a/b/report", "first");
  EXPECT_EQ(folder.read("a/b/report/report.json"), "first");
}

TEST(ReportFolder, OthersMayReadItAsTheUsersMaskSays) {
  const support::TemporaryFolder folder;
  const mode_t mask = umask(022);
  publish(folder.path() / "report", "first");
  umask(mask);
  EXPECT_EQ(fs::status(folder.path() / "report").permissions() & fs::perms::all, fs::perms{0755});
}

TEST(ReportFolder, WhereNothingCanBeWrittenIsSaidBeforeAnythingRuns) {
  const support::TemporaryFolder folder;
  folder.write("file", "x");
  EXPECT_NE(error_of([&] { check_report_folder(folder.path() / "file"); }).find("is not a folder"),
            std::string::npos);
  EXPECT_NE(error_of([&] { check_report_folder(folder.path() / "file/report"); }).find("--report DIR"),
            std::string::npos);
  EXPECT_NE(error_of([&] { check_report_folder("/proc/report"); }).find("cannot make a folder in /proc"),
            std::string::npos);
  EXPECT_NE(error_of([&] { check_report_folder("/"); }).find("no report wrote"), std::string::npos);
}

TEST(ReportFolder, AnyBytesInANameSurvive) {
  const support::TemporaryFolder folder;
  publish(folder.path() / "r\xe9sultats", "first");
  publish(folder.path() / "r\xe9sultats/", "second");
  EXPECT_EQ(folder.read("r\xe9sultats/report.json"), "second");
}

}  // namespace
}  // namespace overlay
