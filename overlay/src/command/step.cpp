#include <memory>

#include "commands.hpp"
#include "overlay/build/steps.hpp"

namespace overlay {

void add_step(CLI::App& app) {
  auto* command = app.add_subcommand("step", "")->group("");
  auto words = std::make_shared<std::pair<std::string, std::filesystem::path>>();
  command->add_option("step", words->first)->required();
  command->add_option("folder", words->second)->required();
  command->callback([words] { overlay::run_step(words->first, words->second); });
}

}  // namespace overlay
