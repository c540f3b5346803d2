// overlay init: a profile of what a user has. Writes where its name says, and an unpacked archive below
// --out.
#include <fmt/format.h>

#include "options.hpp"
#include "overlay/build/init_profile.hpp"
#include "overlay/build/workplace.hpp"

namespace overlay {
namespace {

int run_init(InitRequest request) {
  if (request.file.extension() != ".toml") request.file += ".toml";
  for (const auto& line : init_profile(request)) fmt::print("{}\n", line);
  fmt::print("next       {}\n", to_type({"compare", "--corsika", request.build.corsika, "--profile",
                                         request.file.string(), "--quick"}));
  return 0;
}

}  // namespace

void declare_init(CLI::App& app, Chosen& chosen) {
  const auto request = std::make_shared<InitRequest>();
  Options options(app, chosen, "init", "Writes a profile of your own: NAME.toml and NAME.card",
                  [request] { return run_init(*request); });
  options.value("name", request->file, "NAME", "of the profile, with or without a folder").necessary();
  declare_sources(options, request->build);
  declare_own(options, request->build);
  options.flag("--force", request->force, "replace files that are there");
}

}  // namespace overlay
