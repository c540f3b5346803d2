// A run of a shell script in place of a program, for tests of runs.
#pragma once

#include <string>

#include "overlay/run/runner.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {

/// The run, below `folder`: run/card (a card with EXIT), program, err. shell: its path.
inline RunSpec shell_run(support::TemporaryFolder& folder, const std::string& shell,
                         const std::string& script) {
  folder.write("run/card", "EXIT\n");
  RunSpec run;
  run.label = "stock";
  run.executable = folder.write("program", "#!" + shell + "\n" + script, true);
  run.folder = folder.path() / "run";
  run.errors = folder.path() / "err";
  return run;
}

}  // namespace overlay
