// The program corsika-patch: reads the command line, calls the patcher, prints. The only unit here that knows
// CLI11.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include "corsika_patches/patch.h"
#include "support/error.hpp"
#include "support/process.hpp"

namespace {

using namespace corsika_patches;

void print_traits(const std::vector<RoutineRecord>& routines) {
  fmt::print("{:<12} {:<7} {:<9} {:<17} {:<9} {:<6} {:<5} {:<7} {:<5} {:<18} {}\n", "routine", "line", "kind",
             "result", "sequence", "conex", "last", "reject", "zero", "dummy", "entries");
  const auto yes = [](bool value) { return value ? "yes" : "-"; };
  for (const auto& r : routines) {
    const auto& t = r.traits;
    if (r.action != "replaced") {
      fmt::print("{:<12} {:<7} {:<9} {}: {}\n", r.name, r.line, r.kind, r.action, r.reason);
    } else if (!r.digest.empty()) {
      fmt::print("{:<12} {:<7} {:<9} digest {}{}\n", r.name, r.line, r.kind, r.digest,
                 r.reason.empty() ? "" : " (" + r.reason + ")");
    } else {
      std::string entries;
      for (const auto& entry : t.entries) entries += (entries.empty() ? "" : " ") + entry;
      fmt::print("{:<12} {:<7} {:<9} {:<17} {:<9} {:<6} {:<5} {:<7} {:<5} {:<18} {}\n", r.name, r.line,
                 r.kind, t.result.empty() ? "-" : t.result, t.sequence, yes(t.conex), yes(t.last),
                 yes(t.reject), yes(t.zero), t.dummy.empty() ? "-" : t.dummy,
                 entries.empty() ? "-" : entries);
    }
  }
}

void print_stages(std::FILE* out, const char* begin, const std::vector<InsertionRecord>& stages) {
  for (const auto& [rules, plan] : stages)
    fmt::print(out, "{}stage {}: {}{}{}\n", begin, rules, plan.covered, plan.reason.empty() ? "" : ": ",
               plan.reason);
}

/// Summary on `out`: standard error where standard output holds the diff.
void print_summary(const PatchResult& result, std::FILE* out) {
  fmt::print(out, "release {}: ", result.release.empty() ? "unknown" : result.release);
  std::size_t replaced = 0;
  for (const auto& routine : result.routines)
    if (routine.action == "replaced") ++replaced;
  std::size_t inlined = 0;
  std::map<std::string, int> reasons;
  for (const auto& site : result.sites) {
    if (site.inlined)
      ++inlined;
    else
      ++reasons[site.reason];
  }
  fmt::print(out, "{} routines replaced, {} of {} call sites inlined\n", replaced, inlined,
             result.sites.size());
  for (const auto& [reason, count] : reasons) fmt::print(out, "  {} left as calls: {}\n", count, reason);
  for (const auto& routine : result.routines)
    if (routine.action != "replaced") fmt::print(out, "  {} left alone: {}\n", routine.name, routine.reason);
  print_stages(out, "  ", result.stages);
  for (const auto& left : result.left_alone) fmt::print(out, "  left alone: {} ({})\n", left.file, left.what);
  for (const auto& note : result.notes) fmt::print(out, "  note: {}\n", note);
}

struct Arguments {
  PatchOptions options;
  std::string out, manifest;
  bool no_inline = false, dry_run = false;
};

int run(const CLI::App& app, Arguments& arguments) {
  auto& options = arguments.options;
  options.inline_sites = !arguments.no_inline;
  if (app.got_subcommand("traits")) {
    print_traits(read_traits(options));
    const auto stages = read_insertions(options);
    for (const auto& stage : stages)
      for (const auto& [routine, digest] : stage.insertions.digests)
        fmt::print("{:<12} block {}\n", routine, digest);
    print_stages(stdout, "", stages);
  } else {
    const auto result = plan_patch(options);
    if (app.got_subcommand("check")) {
      fmt::print("can be patched\n");
    } else if (arguments.dry_run) {
      const auto diff = unified_diff(result, options.tree);
      std::fwrite(diff.data(), 1, diff.size(), stdout);
      fmt::print(stderr, "would be patched\n");
    } else {
      write_patched(result, options.tree, arguments.out, arguments.manifest);
      fmt::print("patched\n");
    }
    print_summary(result, arguments.dry_run ? stderr : stdout);
  }
  if (std::fflush(stdout) != 0) throw support::Error("cannot write to standard output");
  return 0;
}

int main_or_throw(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{
      "Replaces CORSIKA's random number routines in a copy of a source tree, under a preprocessor macro.\n"
      "Exit status: 0 done, 1 refused (one line on standard error; there is no copy), 2 wrong usage."};
  app.require_subcommand(1);
  const auto command = [&](const char* name, const char* help) {
    auto* sub = app.add_subcommand(name, help);
    sub->add_option("--tree", arguments.options.tree, "the unpacked CORSIKA tree; it is not written to")
        ->required();
    sub->add_option("--rules", arguments.options.rules,
                    "rule files (default: those that come with the project)");
    sub->add_option("--options", arguments.options.build,
                    "options that CORSIKA is built with, as CERENKOV IACT ATMEXT SLANT: what is said of the "
                    "Cherenkov stage holds for these");
    sub->add_flag("--no-inline", arguments.no_inline,
                  "replace the routines, but leave all call sites as calls");
    return sub;
  };
  auto* apply = command("apply", "make a patched copy of the tree");
  auto* where = apply->add_option_group("what to make")->require_option(1);
  where->add_option("--out", arguments.out, "the patched copy, which must not be there");
  where->add_flag("--dry-run", arguments.dry_run, "print the unified diff, write nothing");
  apply->add_option("--manifest", arguments.manifest,
                    "leave a JSON manifest of what was done here; must not be there");
  command("check", "say whether the tree can be patched; write nothing");
  command("traits", "print what was read off each routine");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "corsika-patch: error: {}; see corsika-patch --help\n",
               support::one_line(error.what()));
    return 2;
  }
  return run(app, arguments);
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
