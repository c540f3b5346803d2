// How far builds are, for a user who waits for them.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace overlay {

/// File in a build's folder with the step that is being done.
constexpr const char* kStepNow = "step.txt";

/// What the builds in the folders `base`/NAME are at: "stock: compiling corsika.F; patched: configuring".
/// Those that are at nothing are left out. Reads what their steps write.
std::string progress_of(const std::filesystem::path& base, const std::vector<std::string>& builds);

/// Tells the user what builds are at, after 5, 10, 20 and 40 s, and then twice a minute.
class BuildProgress {
 public:
  BuildProgress(std::filesystem::path base, std::vector<std::string> builds)
      : base_(std::move(base)), builds_(std::move(builds)) {}

  /// To be called often.
  void look();

 private:
  const std::filesystem::path base_;
  const std::vector<std::string> builds_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double next_s_ = 5;
};

}  // namespace overlay
