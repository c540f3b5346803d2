#include <memory>

#include "commands.hpp"

namespace overlay {

void add_compare(CLI::App& app) {
  auto* command = app.add_subcommand("compare", "Builds, runs both, checks identity, profiles, writes the report");
  auto options = std::make_shared<BuildOptions>();
  options->add_to(*command);
  command->callback([] { throw profiles::Error("compare is not built in"); });
}

}  // namespace overlay
