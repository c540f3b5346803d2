// What a log of CORSIKA says of the run's end: whether it came, why not, and which files were written. Works
// on the log's text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace overlay {

/// The text that ends the log of every run that came to its end.
constexpr const char* kEndOfRun = "END OF RUN";

/// Why CORSIKA stopped before its end, in its own words: what it says of a line of the card, else the
/// sentence before `PLEASE READ THE USERS GUIDE` or before the log's end. Lines are joined by a blank, runs
/// of blanks are one, and there are at most 300 characters. Empty where the log says nothing of the kind, and
/// where the run came to its end.
std::string why_stopped(std::string_view log);

/// Names of the files that the log says are written, as it gives them: `... OUTPUT TO FILE: NAME` and the
/// IACT package's `Telescope output file: 'NAME'`. Left out are commands, names with `$`, files outside of
/// the run folder, and the particle file where it is named for Cherenkov light alone.
std::vector<std::string> outputs_named(std::string_view log);

}  // namespace overlay
