// What is written beside installed programs: a program of the system's in the place of CORSIKA.
#include "overlay/build/install.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

TEST(Install, SaysWhatWasMadeOfWhat) {
  support::TemporaryFolder folder;
  BuildSet set;
  set.profile.name = "mine";
  set.profile.options = set.conditions.options = {"QGSJET01", "IACT"};
  set.corsika_version = "7.7990";
  set.sha256 = "0123abcd";
  set.flags = "tuned";
  set.compilers = "gfortran 99";
  set.substitutes = {"QGSJET01 stands in for QGSJETII"};
  set.card = "NSHOW 1\nDIRECT out/\nEXIT\n";
  set.programs["patched"] = *support::find_program("true");
  set.data_files["atmprof6.dat"] = folder.write("air", "air");
  Installation made;
  made.sets = {set};
  made.launcher = set.programs["patched"];
  made.container = "apptainer";
  made.gain = "  twice as fast";
  made.provenance = {{"made", "today"}, {"command", "overlay install"}};
  install(made, folder.path() / "p");
  const auto holds_all = [&](const std::string& file, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_PRED2(holds, folder.read("p/" + file), part) << file;
  };
  holds_all("overlay-install.json",
            {"\"7.7990\"", "\"0123abcd\"", "\"QGSJET01\"", "\"tuned\"", "\"gfortran 99\"",
             "stands in for QGSJETII", "\"today\"", "\"overlay install\"", "\"table\": true"});
  holds_all("README", {"QGSJET01 IACT", "substitutes      QGSJET01 stands in for QGSJETII", "twice as fast",
                       "mkdir -p run1 run1/out && "});
  holds_all("modulefiles/corsika/7.7990", {"#%Module1.0", "prepend-path PATH $folder/run"});
  holds_all("corsika.def", {"Bootstrap: docker\nFrom: ", ". /workdir/corsika"});
}

}  // namespace
}  // namespace overlay
