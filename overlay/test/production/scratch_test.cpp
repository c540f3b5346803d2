// Run folders on scratch: where they are made, and what is in them.
#include "overlay/production/scratch.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "overlay/production/exit_codes.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

TEST(Scratch, TheEnginesFolderComesFirst) {
  const support::TemporaryFolder condor, slurm, given;
  setenv("SLURM_TMPDIR", slurm.path().c_str(), 1);
  EXPECT_EQ(scratch_folder({}), fs::canonical(slurm.path()));
  setenv("_CONDOR_SCRATCH_DIR", condor.path().c_str(), 1);
  EXPECT_EQ(scratch_folder({}), fs::canonical(condor.path()));
  EXPECT_EQ(scratch_folder(given.path()), fs::canonical(given.path()));
  setenv("_CONDOR_SCRATCH_DIR", "/nowhere", 1);
  EXPECT_EQ(scratch_folder({}), fs::canonical(slurm.path()));
  unsetenv("_CONDOR_SCRATCH_DIR");
  unsetenv("SLURM_TMPDIR");
  EXPECT_THROW(scratch_folder(given.path() / "none"), WorkerError);
}

TEST(Scratch, ARunFolderHasTheCardAndLinksToTables) {
  const support::TemporaryFolder production, parent;
  production.write("bin/corsika/run/corsika", "program");
  production.write("bin/corsika/run/EGSDAT6_.05", "table");
  production.write("bin/corsika/run/libgfortran.so.5", "library");
  production.write("bin/corsika/run/example.card", "another card");
  production.write("bin/corsika/epos/epos.initl", "table beside");
  const fs::path run =
      make_run_folder(production.path(), "bin/corsika/run/corsika", "NSHOW 1\n", parent.path());
  EXPECT_EQ(run, parent.path() / "run");
  EXPECT_EQ(parent.read("run/card"), "NSHOW 1\n");
  EXPECT_EQ(parent.read("run/EGSDAT6_.05"), "table");
  EXPECT_TRUE(fs::is_symlink(run / "EGSDAT6_.05"));
  EXPECT_EQ(parent.read("epos/epos.initl"), "table beside");
  EXPECT_EQ(std::distance(fs::directory_iterator(run), {}), 2);
}

}  // namespace
}  // namespace overlay
