#include "commands.hpp"

namespace overlay {

void add_bench(CLI::App& app) {
  auto* command = app.add_subcommand("bench", "The generator against its peers, in one run (bench --help)");
  command->prefix_command();
  command->set_help_flag();
  command->callback([command] { run_instead("ranmar-bench", command->remaining()); });
}

}  // namespace overlay
