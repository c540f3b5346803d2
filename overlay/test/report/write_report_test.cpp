// Reports whose folder cannot be written at the end.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "error_of.hpp"
#include "overlay/report/report.hpp"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

Report small_report() {
  Report report;
  report.profile = "veritas-gamma";
  report.notes = {"DAT000001 took hours"};
  return report;
}

/// The text of a file below `folder` in a folder that begins with "report-"; empty where there is none.
std::string kept_elsewhere(const support::TemporaryFolder& folder, const char* name) {
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    if (const auto place = entry.path().filename().string(); place.starts_with("report-"))
      return folder.read(place + "/" + name);
  return "";
}

TEST(WriteReport, OneWhoseFolderIsTakenMeanwhileIsKeptBesideIt) {
  support::TemporaryFolder folder;
  folder.write("report/notes.txt", "put there during the runs");
  const auto error = error_of([&] { write_report(small_report(), folder.path() / "report/"); });
  EXPECT_NE(error.find("holds notes.txt"), std::string::npos) << error;
  EXPECT_NE(error.find("; it is in " + (folder.path() / "report-").string()), std::string::npos) << error;
  EXPECT_TRUE(nlohmann::json::accept(kept_elsewhere(folder, "report.json")));
  EXPECT_NE(kept_elsewhere(folder, "report.md").find("DAT000001"), std::string::npos);
  EXPECT_EQ(folder.read("report/notes.txt"), "put there during the runs");
}

TEST(WriteReport, OneWhoseFolderCannotBeMadeIsKeptAmongTemporaryFiles) {
  support::TemporaryFolder folder, temporary;
  folder.write("file", "x");
  setenv("TMPDIR", temporary.path().c_str(), 1);
  EXPECT_THROW(write_report(small_report(), folder.path() / "file" / "report"), support::Error);
  unsetenv("TMPDIR");
  EXPECT_TRUE(nlohmann::json::accept(kept_elsewhere(temporary, "report.json")));
}

}  // namespace
}  // namespace overlay
