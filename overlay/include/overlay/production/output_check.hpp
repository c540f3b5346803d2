// Whether a run that says it ended really did. Reads its folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overlay/card/expected_outputs.hpp"
#include "overlay/production/plan.hpp"

namespace overlay {

/// Why the outputs in a run's folder are not those of the whole run; one line each, empty where they are:
/// - `log` has the line END OF RUN;
/// - each expected file is there, and its content is as expected (why_not_as_expected());
/// - in telescope files every object's length adds up, inner ones included (eventio_gap());
/// - run headers hold the run's number, and the first event's header the planned start of each sequence.
std::vector<std::string> check_outputs(const std::filesystem::path& folder, const ExpectedOutputs& expected,
                                       const PlannedRun& run);

/// The shower at which a run stopped: the highest number that its log or its files say was begun, 0 where
/// none was. Two attempts that crash at the same place give the same number.
long last_begun_shower(const std::filesystem::path& folder, const ExpectedOutputs& expected);

}  // namespace overlay
