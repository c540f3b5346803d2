// Where runs are made. How one is made is tested in command/production_run_test.sh.
#include "overlay/production/finished_run.hpp"

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

}  // namespace
}  // namespace overlay
