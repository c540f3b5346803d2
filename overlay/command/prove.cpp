// overlay prove: gets the sources and starts the program prove on them, or proves the Cherenkov stage.
#include "commands.hpp"
#include "programs.hpp"

namespace overlay {
namespace {

/// Fortran flags of both sides.
std::string fortran_flags(const std::string& flags) {
  if (flags == "tuned") return "-O2";
  return flags == "shipped" ? "-O0" : flags;
}

}  // namespace

int run_prove(const ProveCommand& command) {
  const auto& request = command.request;
  if (command.cherenkov) {
    ProofOptions options = command.proof;
    options.jobs = request.jobs;
    return prove_cherenkov(request, options);
  }
  const auto out = std::filesystem::absolute(request.out).lexically_normal();
  const auto tree = obtain_source({request.corsika, out, request.sha256, request.known});
  exec_program("prove", {"--tree", tree.folder.string(), "--out", (out / "prove" / tree.id).string(),
                         "--draws", command.draws, "--flags=" + fortran_flags(request.flags)});
}

}  // namespace overlay
