// overlay compare: checks that the options agree with each other, then compares.
#include "commands.hpp"
#include "support/error.hpp"

namespace overlay {

int run_compare_command(CompareRequest request) {
  const auto& gpu = request.build.gpu;
  auto& options = request.options;
  if (gpu == "off" && options.backend == "cuda")
    throw support::Error("--backend cuda needs a build with CUDA: leave out --gpu off");
  if (gpu == "off" && options.cherenkov == "gpu")
    throw support::Error("--cherenkov gpu needs a build with CUDA: leave out --gpu off");
  if (gpu == "on" && options.backend == "auto") options.backend = "cuda";
  return run_compare(request);
}

}  // namespace overlay
