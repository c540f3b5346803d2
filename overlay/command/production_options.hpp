// The command line of `overlay production`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

namespace CLI {
class App;
}

namespace overlay {

struct BuildRequest;

/// Declares `production` with its subcommands. `chosen` gets the command to run once the command line is
/// read.
void declare_production(CLI::App& app, std::function<int()>& chosen);

/// A subcommand that becomes `chosen` where the command line names it.
CLI::App& add_subcommand(CLI::App& app, std::function<int()>& chosen, const char* name, const char* summary,
                         std::function<int()> run);

/// One that runs `run` with a request of its own, once the whole command line is read.
template <class Request, class Run>
CLI::App& production_command(CLI::App& app, std::function<int()>& chosen, const char* name,
                             const char* summary, const std::shared_ptr<Request>& request, Run run) {
  return add_subcommand(app, chosen, name, summary, [request, run] { return run(*request); });
}

/// Whether the Cherenkov stage is proven where the sources are not known; of every command that builds.
void declare_proof(CLI::App& command, BuildRequest& request);

/// The production's folder, which every subcommand but one needs.
void declare_folder(CLI::App& command, std::filesystem::path& folder);

}  // namespace overlay
