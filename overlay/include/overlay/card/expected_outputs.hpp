// What a run will write, as its card says. Works on text alone and touches no file.
#pragma once

#include <string>
#include <vector>

namespace overlay {

/// A file that a run must write, by its card.
struct ExpectedFile {
  std::string name;     ///< relative to the run folder
  bool events = false;  ///< holds a run header, the events of all showers and a run end
};

/// The outputs of a run.
struct ExpectedOutputs {
  std::vector<ExpectedFile> files;
  long showers = 0;                       ///< NSHOW
  std::vector<std::string> not_compared;  ///< outputs that leave no file to compare, in words
  std::vector<std::string> outside;       ///< outputs that go outside of the run folder, in words
};

/// The file that gets the telescope data of a pipe, where TELFIL names a command: runs of ours put a program
/// that writes it in the command's place (run/telescope_pipe.hpp).
constexpr const char* kPipedTelescopeData = "light-pipe.bytes";

/// What a program with `options` (coconut's names) writes for a card, by CORSIKA's own defaults and names:
/// the particle file (PAROUT, RUNNR, DIRECT), tables (PAROUT, LONGI, DATBAS), the Cherenkov output (CERFIL,
/// or TELFIL where IACT and TELESCOPE say so), and beside these `more`, the files that a profile names.
ExpectedOutputs expected_outputs(const std::string& card, const std::vector<std::string>& options,
                                 const std::vector<std::string>& more = {});

}  // namespace overlay
