// The commands of overlay as plain functions of plain requests, which know nothing of the command line.
// options.cpp reads it, declares the options and calls these; production_options.cpp declares those of
// `overlay production`.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "overlay/build/build.hpp"
#include "overlay/build/install.hpp"
#include "overlay/build/source.hpp"
#include "overlay/compare/compare.hpp"
#include "overlay/prove/prove.hpp"

namespace overlay {

/// `overlay build`: what to build, which builds of it, and a folder to run one of them in.
struct BuildCommand {
  BuildRequest request;
  std::vector<std::string> builds{"stock", "patched"};  ///< of known_builds()
  std::filesystem::path run_folder;                     ///< made where not empty; must be new or empty
};

/// `overlay patch`: a patched copy of the sources below source.out.
struct PatchCommand {
  SourceRequest source;
  bool dry_run = false;  ///< print the unified diff, write nothing
};

/// `overlay prove`: replaced routines against the stock bodies, by the program `prove`; with `cherenkov`, the
/// Cherenkov stage against CORSIKA's own code in the running program.
struct ProveCommand {
  BuildRequest request;  ///< of the program; without `cherenkov` its corsika, out, checksums and flags
  std::string draws = "10000000";  ///< calls of random routines, of each variant of options
  bool cherenkov = false;
  ProofOptions proof;
};

/// Options of another program that are handed on to it as they are, where they are not empty.
using Passed = std::map<std::string, std::string>;

/// `overlay bench`: the generator against its peers, by the program `ranmar-bench`.
struct BenchCommand {
  SourceRequest source;  ///< `corsika` empty: no tree's RMMARD is timed
  Passed passed;
};

/// `overlay validate`: every claim checked, by the program `validate`.
struct ValidateCommand {
  std::string corsika = "standin";
  std::filesystem::path out = "build/overlay";
  bool full = false;  ///< hours; goes on where it was stopped
  bool list = false;  ///< print the checks, run nothing
  Passed passed;
};

// Each returns the exit status and throws support::Error, one line that says what to do.
int run_build(const BuildCommand& command);
int run_install(const InstallRequest& request);
int run_patch(const PatchCommand& command);
int run_doctor(const std::filesystem::path& out);  ///< `out`: folder whose disk is looked at
int run_prove(const ProveCommand& command);
int run_bench(const BenchCommand& command);
int run_validate(const ValidateCommand& command);

/// Folder of the running program, in which our other programs stand.
std::filesystem::path program_folder();

}  // namespace overlay
