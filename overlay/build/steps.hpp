// Builds of one profile with one set of flags, made by CMake (overlay/superbuild), and the steps of one build
// that it calls.
#pragma once

#include "overlay/build/build.hpp"
#include "overlay/build/toolchain.hpp"

namespace overlay {

/// One step of one build, called by the superbuild: copy, configure, patch, make or link. `folder` holds
/// settings, and gets tree/, the steps' logs, run.list, program.txt (the program's path) and, where
/// patched, manifest.json. Throws support::Error.
void run_step(const std::string& step, const std::filesystem::path& folder);

/// Writes what a build is made of. Throws support::Error.
void write_settings(const std::filesystem::path& folder, const nlohmann::json& settings);

/// Files in the folder of a patched build. The first line of each is a digest (sources_digest): of what was
/// compiled; of what is known or proven, else "none". The step link puts the stage to work where they agree.
constexpr const char* kSourcesDigest = "sources.txt";
constexpr const char* kProven = "proven.txt";

/// The first line of a file; empty where there is none. Throws support::Error where it is there and cannot be
/// read.
std::string first_line_of(const std::filesystem::path& file);

/// File in a build's folder with the step that is being done.
constexpr const char* kStepNow = "step.txt";

/// What the builds in the folders `base`/NAME are at: "stock: compiling; patched: configuring".
/// Those that are at nothing are left out. Reads what their steps write.
std::string progress_of(const std::filesystem::path& base, const std::vector<std::string>& builds);

/// Moves what no step made out of `folder`/tree/run: outputs of runs that were started there, a user's
/// programs. Returns the new folder beside tree/ that holds it, empty where there was nothing. Throws
/// filesystem_error where it cannot be moved.
std::filesystem::path keep_foreign_files(const std::filesystem::path& folder);

/// Notes in `folder`/run.list what stands in `folder`/tree/run, for keep_foreign_files(). Throws
/// support::Error.
void list_run_folder(const std::filesystem::path& folder);

/// Makes what is missing or old of `builds` in set.builds, and nothing else; waits where another overlay
/// works there. `library`: null where nothing is patched; `stage`: whether the Cherenkov stage may be in
/// patched builds. Throws support::Error; where the disk is full, what this call began is taken away again.
void make_builds(const BuildSet& set, const std::vector<std::string>& builds, const OurLibrary* library,
                 bool stage, int jobs);

}  // namespace overlay
