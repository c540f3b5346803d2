// overlay validate: starts the program validate.
#include "commands.hpp"
#include "programs.hpp"

namespace overlay {

int run_validate(const ValidateCommand& command) {
  refuse_output_in_tree(command.corsika, command.out, "--out");
  const auto out = std::filesystem::absolute(command.out).lexically_normal() / "validation";
  std::vector<std::string> arguments{"--out", out.string(), "--corsika", command.corsika};
  if (command.full) arguments.emplace_back("--full");
  if (command.list) arguments.emplace_back("--list");
  if (!command.only.empty()) arguments.insert(arguments.end(), {"--only", command.only});
  if (!command.jobs.empty()) arguments.insert(arguments.end(), {"--jobs", command.jobs});
  if (!command.known_answers.empty())
    arguments.insert(arguments.end(), {"--known-answers", command.known_answers.string()});
  exec_program("validate", arguments);
}

}  // namespace overlay
