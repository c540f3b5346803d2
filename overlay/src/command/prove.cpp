// overlay prove: gets the sources and starts the program prove on them.
#include "commands.hpp"
#include "programs.hpp"

namespace overlay {

int run_prove(const ProveCommand& command) {
  const auto out = std::filesystem::absolute(command.out).lexically_normal();
  auto source = command.source;
  source.out = out;
  const auto tree = obtain_source(source);
  exec_program("prove", {"--tree", tree.folder.string(), "--out", (out / "prove" / tree.id).string(),
                         "--draws", command.draws, "--flags=" + command.flags});
}

}  // namespace overlay
