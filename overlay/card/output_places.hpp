// Where a card sends outputs that cannot be kept. Works on text and on the environment, and touches no file.
#pragma once

#include <string>
#include <vector>

namespace overlay {

/// Why outputs of a run with this card, of a program with `options` (coconut's names), would be lost or would
/// meet those of other runs, and what to change, as one sentence: DIRECT or TELFIL lead out of the run
/// folder, or the light goes to a device. Empty where all that is written stays in the run folder, or goes
/// into a command.
std::string outputs_elsewhere(const std::string& card, const std::vector<std::string>& options);

}  // namespace overlay
