// The program corsika-patch: reads the command line, calls the patcher, prints. The only unit here that knows
// CLI11.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include "corsika-patches/patch.h"
#include "support/error.hpp"
#include "support/process.hpp"

namespace {

using namespace corsika_patches;

std::string reason(const Json& entry) { return entry.value("reason", std::string()); }

/// Summary on `out`: standard error where standard output holds the diff.
void print_summary(const Json& done, std::FILE* out) {
  std::size_t replaced = 0, inlined = 0;
  std::map<std::string, int> left;  // call sites, by the reason
  for (const auto& routine : done["routines"]) replaced += routine["action"] == "replaced" ? 1 : 0;
  for (const auto& site : done["sites"]) site["action"] == "inlined" ? ++inlined : ++left[reason(site)];
  fmt::print(out, "release {}: {} routines replaced, {} of {} call sites inlined\n",
             done["release"].is_null() ? "unknown" : done["release"].get<std::string>(), replaced, inlined,
             done["sites"].size());
  for (const auto& [reason, count] : left) fmt::print(out, "  {} left as calls: {}\n", count, reason);
  for (const auto& routine : done["routines"])
    if (routine["action"] != "replaced")
      fmt::print(out, "  {} left alone: {}\n", routine["name"].get<std::string>(), reason(routine));
  for (const auto& stage : done["stages"])
    fmt::print(out, "  stage {}: {}{}{}\n", stage["name"].get<std::string>(),
               stage["covered"].get<std::string>(), reason(stage).empty() ? "" : ": ", reason(stage));
}

int main_or_throw(int argc, char** argv) {
  PatchOptions options;
  std::string out, manifest;
  bool dry_run = false;
  CLI::App app{
      "Replaces CORSIKA's random number routines in a copy of a source tree, under a preprocessor macro.\n"
      "Exit status: 0 done, 1 refused (one line on standard error; there is no copy), 2 wrong usage."};
  app.require_subcommand(1);
  auto* apply = app.add_subcommand("apply", "make a patched copy of the tree");
  apply->add_option("--tree", options.tree, "the unpacked CORSIKA tree; it is not written to")->required();
  apply->add_option("--rules", options.rules, "rule files (default: those that come with the project)");
  apply->add_option("--options", options.build,
                    "options that CORSIKA is built with, as CERENKOV IACT ATMEXT SLANT: what is said of the "
                    "Cherenkov stage holds for these");
  auto* where = apply->add_option_group("what to make")->require_option(1);
  where->add_option("--out", out, "the patched copy, which must not be there");
  where->add_flag("--dry-run", dry_run, "print the unified diff, write nothing");
  apply->add_option("--manifest", manifest, "leave a JSON manifest of what was done here; must not be there");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "corsika-patch: error: {}; see corsika-patch --help\n",
               support::one_line(error.what()));
    return 2;
  }
  const auto result = plan_patch(options);
  if (dry_run) {
    const auto diff = unified_diff(result, options.tree);
    std::fwrite(diff.data(), 1, diff.size(), stdout);
  } else {
    write_patched(result, options.tree, out, manifest);
    fmt::print("patched\n");
  }
  print_summary(result.manifest, dry_run ? stderr : stdout);
  if (std::fflush(stdout) != 0) throw support::Error("cannot write to standard output");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  support::open_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is an error to report, not to die of
  try {
    return main_or_throw(argc, argv);
  } catch (const std::exception& error) {
    std::fputs("corsika-patch: error: ", stderr);
    for (const char* c = error.what(); *c != '\0'; ++c) std::fputc(*c == '\n' ? ' ' : *c, stderr);
    std::fputc('\n', stderr);
    return 1;
  }
}
