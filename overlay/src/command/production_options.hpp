// The command line of `overlay production`.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace overlay {

/// Declares `production` with its subcommands. `chosen` gets the command to run once the command line is
/// read.
void declare_production(CLI::App& app, std::function<int()>& chosen);

}  // namespace overlay
