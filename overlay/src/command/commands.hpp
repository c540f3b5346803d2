#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "overlay/build/build.hpp"

namespace overlay {

/// One subcommand: adds itself to the app; its callback does the work and throws support::Error.
void add_build(CLI::App& app);
void add_compare(CLI::App& app);
void add_patch(CLI::App& app);
void add_doctor(CLI::App& app);
void add_prove(CLI::App& app);
void add_bench(CLI::App& app);
void add_step(CLI::App& app);  ///< hidden: what the superbuild calls

/// What `build` and `compare` share: fills in a BuildRequest. Call finish() once the command line is read.
struct BuildOptions {
  overlay::BuildRequest request;
  std::vector<double> energies;
  std::string erange;
  long showers = 0;
  double zenith = 0;
  int atmosphere = 0;
  long seed = 0;
  CLI::App* app = nullptr;

  void add_to(CLI::App& command);
  overlay::BuildRequest finish() const;
};

/// Folder of the running program, where our other programs are.
std::filesystem::path program_folder();

/// Replaces this process by the program of that name beside ours, handing all arguments on.
[[noreturn]] void run_instead(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace overlay
