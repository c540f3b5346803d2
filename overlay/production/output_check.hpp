// Whether a run that says it ended really did. Reads its folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overlay/production/plan.hpp"

namespace overlay {

/// Why the outputs in a run's folder (output_files()) are not those of the whole run; one line each, empty
/// where they are:
/// - the files that its log names, and `named`, are there, and hold something;
/// - there is one output beside the log;
/// - particle and telescope files, compressed ones too, are whole and hold `showers` events
/// (why_not_whole());
/// - in telescope files every object's length adds up, inner ones included (eventio_gap());
/// - run headers hold the run's number, and the first event's header the planned start of each sequence.
std::vector<std::string> check_outputs(const std::filesystem::path& folder, long showers,
                                       const std::vector<std::string>& named, const PlannedRun& run);

/// The shower at which a run stopped: the highest number that its log or its files say was begun, 0 where
/// none was. Two attempts that crash at the same place give the same number.
long last_begun_shower(const std::filesystem::path& folder);

}  // namespace overlay
