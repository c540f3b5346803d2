// overlay install: the patched program with its data, in a folder that may be moved.
#include <fmt/format.h>

#include "commands.hpp"
#include "overlay/prove/prove.hpp"

namespace overlay {

int run_install(const InstallRequest& request) {
  const auto installed = install(request, [&] { return build_proven(request.build, {"patched"}); });
  fmt::print("program    {}\n", installed.program.string());
  fmt::print("Cherenkov stage: {}\n", installed.cherenkov_stage);
  fmt::print("files      {}, listed in {}\n", installed.files,
             (installed.readme.parent_path() / "overlay-install.json").string());
  fmt::print("run        as {} says\n", installed.readme.string());
  return 0;
}

}  // namespace overlay
