#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "overlay/compare/compare.hpp"

namespace overlay {

/// Adds the options of `overlay compare` that `overlay build` does not have to the subcommand, and its
/// callback, which asks `common` for the rest once the command line is read. Where the outputs are not
/// identical the callback ends the process with status 3; errors are thrown.
void add_compare_options(CLI::App& command, std::function<overlay::BuildRequest()> common);

}  // namespace overlay
