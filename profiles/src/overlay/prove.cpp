#include "commands.hpp"

namespace overlay {

void add_prove(CLI::App& app) {
  auto* command = app.add_subcommand("prove", "Every replaced routine against the stock body compiled from a tree (prove --help)");
  command->prefix_command();
  command->set_help_flag();
  command->callback([command] { run_instead("prove", command->remaining()); });
}

}  // namespace overlay
