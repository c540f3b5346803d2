// Writes what each build is made of, and lets CMake make what is missing or old. Writes below BuildPlan::base
// alone.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "overlay/build/build.hpp"
#include "overlay/build/cherenkov_stage.hpp"
#include "overlay/build/steps.hpp"
#include "overlay/build/workplace.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

bool contains(const std::vector<std::string>& list, const std::string& what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

/// Folder names of what is asked for.
std::vector<std::string> targets_of(const BuildPlan& plan) {
  std::vector<std::string> targets;
  for (const auto& build : plan.builds)
    if (const auto name = folder_name(build); !contains(targets, name)) targets.push_back(name);
  return targets;
}

/// Names of all builds are always there, so that asking for one more changes nothing about the others.
std::vector<std::string> all_folders() {
  std::vector<std::string> names;
  for (const auto& name : known_builds())
    if (folder_name(name) == name) names.push_back(name);
  return names;
}

/// What steps read, and what tells that a step is to be done again.
void write_inputs(const BuildPlan& plan, const std::vector<std::string>& targets) {
  for (const auto& name : all_folders()) {
    const auto folder = plan.base / name;
    std::error_code error;
    fs::create_directories(folder, error);
    if (!contains(targets, name) && fs::exists(folder / kSettings, error)) continue;
    const OurLibrary* ours = is_patched(name) ? plan.library : nullptr;
    write_settings(folder,
                   {{"source", plan.source->folder.string()},
                    {"standin", plan.source->standin},
                    {"options", plan.options},
                    {"environment", environment_of(name, plan.flags, ours, plan.stage, folder / "tree")},
                    {"stage", plan.stage},
                    {"patcher", ours != nullptr ? ours->patcher.string() : ""}});
    support::write_file(folder / "tree.txt",
                        plan.source->sha256 + "\n" + (ours != nullptr ? ours->patcher_fingerprint : ""));
    support::write_file(folder / "library.txt", ours != nullptr ? ours->library_fingerprint : "none");
  }
}

/// Notes in each patched build whether its sources are known or proven. Returns whether that is new.
bool write_proven(const BuildPlan& plan, const std::vector<std::string>& targets) {
  bool changed = false;
  for (const auto& name : targets) {
    if (!is_patched(name)) continue;
    auto conditions = plan.conditions;
    conditions.sources = first_line_of(plan.base / name / kSourcesDigest);
    const auto proof = proof_for(conditions, plan.base);
    const auto file = plan.base / name / kProven;
    const bool works = (proof && proof->failure.empty()) || is_known(conditions.sources);
    const auto line = works ? conditions.sources : "none";
    changed = changed || first_line_of(file) != line;
    support::write_file(file, line + "\n");
  }
  return changed;
}

/// The rest of each line that begins so.
std::vector<std::string> lines_after(const std::string& output, const std::string& sign) {
  std::vector<std::string> lines;
  for (auto at = output.find(sign); at != std::string::npos; at = output.find(sign, at + 1)) {
    const auto begin = at + sign.size();
    lines.push_back(output.substr(begin, output.find('\n', begin) - begin));
  }
  return lines;
}

void run_cmake(const BuildPlan& plan, const std::vector<std::string>& targets) {
  const auto superbuild = plan.base / "superbuild", log = plan.base / "superbuild.log";
  const auto set_up = support::run(
      {.argv = {"cmake", "--fresh", "-G", "Ninja", "-S", (source_root() / "overlay" / "superbuild").string(),
                "-B", superbuild.string(), "-DPLAN_DIR=" + plan.base.string(),
                "-DOVERLAY=" + (build_root() / "bin" / "overlay").string(),
                "-DBUILDS=" + support::join(all_folders(), ";")}});
  support::write_file(log, set_up.output);
  if (set_up.status != 0) throw support::Error("the superbuild could not be set up (log: {})", log.string());
  std::vector<std::string> argv{
      "cmake", "--build", superbuild.string(), "--parallel", std::to_string(plan.jobs), "--target"};
  argv.insert(argv.end(), targets.begin(), targets.end());
  const auto missing = [&](const std::string& name) { return !fs::exists(plan.base / name / "program.txt"); };
  if (std::any_of(targets.begin(), targets.end(), missing))
    message(fmt::format("building {} of {}", support::join(targets, ", "), plan.title));
  const auto start = std::chrono::steady_clock::now();
  support::Command build{argv};
  build.environment[kMakeJobs] = std::to_string(plan.jobs);
  const auto built = support::run(build);
  for (const auto& note : lines_after(built.output, kNote)) message(note);
  support::write_file(log, set_up.output + built.output);
  if (built.status != 0) {
    const auto reasons = lines_after(built.output, "overlay: error: ");
    throw support::Error(reasons.empty() ? fmt::format("a build failed (log: {})", log.string())
                                         : reasons.front());
  }
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (seconds > 2) message(fmt::format("built in {:.0f} s", seconds));
}

/// Whether nothing is in a folder but its lock.
bool is_new(const fs::path& folder) {
  const auto entries = fs::directory_iterator(folder);
  return std::all_of(fs::begin(entries), fs::end(entries),
                     [](const auto& entry) { return entry.path().filename() == ".overlay-lock"; });
}

}  // namespace

void make_builds(const BuildPlan& plan) {
  const Workplace workplace(plan.base);
  const bool fresh = is_new(plan.base);
  try {
    const auto targets = targets_of(plan);
    write_inputs(plan, targets);
    write_proven(plan, targets);
    run_cmake(plan, targets);
    // What was compiled is known now.
    if (write_proven(plan, targets)) run_cmake(plan, targets);
  } catch (const support::Error& problem) {
    if (!support::disk_is_full(plan.out, problem.what())) throw;
    if (fresh)
      for (const auto& entry : fs::directory_iterator(plan.base))
        if (entry.path().filename() != ".overlay-lock") support::remove_folder(entry.path());
    report_full_disk(plan.out);
  }
}

}  // namespace overlay
