// The manual page and the completion of bash, from declarations made up here.
#include "command/command_pages.hpp"

#include <gtest/gtest.h>

namespace {

using overlay::CommandDescription;

CommandDescription program() {
  CommandDescription build{
      "build",
      "Builds a tree",
      "",
      {{"--out-dir", "", "DIR", "build", "folder", false}, {"--dry", "-d", "", "", ".first \\ last", true}},
      {}};
  CommandDescription runs{"runs",
                          "Many runs",
                          "",
                          {},
                          {{"start", "Starts them", "", {{"--file", "", "FILE", "", "a file", false}}, {}}}};
  return {"tool", "Does things.", "", {{"--help", "-h", "", "", "help", false}}, {build, runs}};
}

TEST(ManualPage, HoldsNamesValuesDefaultsAndEscapesThem) {
  const auto page = overlay::manual_page(program(), "1.2");
  EXPECT_NE(page.find("tool 1.2"), std::string::npos) << page;
  EXPECT_NE(page.find("\\fB\\-\\-out\\-dir\\fR \\fIDIR\\fR\nfolder (default: build)\n"), std::string::npos)
      << page;
  // A line that begins with a point would be a request; a backslash would begin an escape.
  EXPECT_NE(page.find("\\fB\\-d\\fR, \\fB\\-\\-dry\\fR\n\\&.first \\e last (required)\n"), std::string::npos)
      << page;
  EXPECT_NE(page.find(".SS tool build\n"), std::string::npos) << page;
  EXPECT_NE(page.find(".SS tool runs start\nStarts them.\n.TP\n\\fB\\-\\-file"), std::string::npos) << page;
}

TEST(BashCompletion, OffersFilesOnlyAfterOptionsThatTakeThem) {
  const auto script = overlay::bash_completion(program());
  EXPECT_NE(script.find("'build') options='--out-dir --dry'; paths='--out-dir' ;;"), std::string::npos)
      << script;
  EXPECT_NE(script.find("compgen -W 'build runs --help'"), std::string::npos) << script;
  EXPECT_NE(script.find("'runs') options='start'; paths='' ;;"), std::string::npos) << script;
  EXPECT_NE(script.find("'runs start') options='--file'; paths='--file' ;;"), std::string::npos) << script;
  EXPECT_NE(script.find("case \" runs \" in"), std::string::npos) << script;
  EXPECT_NE(script.find("complete -F _tool tool"), std::string::npos) << script;
}

}  // namespace
