// The command lines of the parts of `overlay production` that make and check runs.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace overlay {

/// Declares `run`, `start`, `check` and `audit` below `production`. `chosen` gets the command to run once the
/// command line is read.
void declare_production_work(CLI::App& production, std::function<int()>& chosen);

}  // namespace overlay
