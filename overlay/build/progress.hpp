// How far builds are, for a user who waits for them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace overlay {

/// File in a build's folder with the step that is being done.
constexpr const char* kStepNow = "step.txt";

/// What the builds in the folders `base`/NAME are at: "stock: compiling corsika.F; patched: configuring".
/// Those that are at nothing are left out. Reads what their steps write.
std::string progress_of(const std::filesystem::path& base, const std::vector<std::string>& builds);

/// Tells the user so after 5, 10, 20 and 40 s, and then twice a minute: `next_s` is when, from 5 on. To be
/// called often.
void show_progress(const std::filesystem::path& base, const std::vector<std::string>& builds, double seconds,
                   double& next_s);

}  // namespace overlay
