#include <memory>

#include "commands.hpp"
#include "overlay/build/source.hpp"

namespace overlay {
namespace {

struct ProveOptions {
  overlay::SourceRequest source;
  std::filesystem::path out = "build/overlay";
  std::string draws = "10000000";
  std::string flags = "-O2";
};

}  // namespace

void add_prove(CLI::App& app) {
  auto* command =
      app.add_subcommand("prove", "Every replaced routine against the stock body compiled from a tree");
  auto options = std::make_shared<ProveOptions>();
  command
      ->add_option("--corsika", options->source.corsika,
                   "CORSIKA 7 archive, unpacked tree, URL, or 'standin'")
      ->required()
      ->type_name("PATH");
  command->add_option("--out", options->out, "folder for everything that is made")
      ->capture_default_str()
      ->type_name("DIR");
  command->add_option("--draws", options->draws, "draws of each variant of options")->capture_default_str();
  command->add_option("--flags", options->flags, "Fortran flags of both sides")->capture_default_str();
  command->add_option("--sha256", options->source.sha256, "what the archive's checksum must be");
  command->add_option("--known", options->source.known, "your own list of releases and checksums");
  command->callback([options] {
    const auto out = std::filesystem::absolute(options->out).lexically_normal();
    options->source.out = out;
    const auto tree = overlay::obtain_source(options->source);
    run_instead("prove", {"--tree", tree.folder.string(), "--out", (out / "prove" / tree.id).string(),
                          "--draws", options->draws, "--flags=" + options->flags});
  });
}

}  // namespace overlay
