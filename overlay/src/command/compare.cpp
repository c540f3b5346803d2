#include <memory>

#include "commands.hpp"
#include "overlay/compare/command_line.hpp"

namespace overlay {

void add_compare(CLI::App& app) {
  auto* command =
      app.add_subcommand("compare", "Builds, runs both, checks identity, profiles, writes the report");
  auto options = std::make_shared<BuildOptions>();
  options->add_to(*command);
  overlay::add_compare_options(*command, [options] { return options->finish(); });
}

}  // namespace overlay
