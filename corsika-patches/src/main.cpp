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
  if (result.recovered) fmt::print(out, "an interrupted patch was finished or cleaned up first\n");
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
  std::string manifest;
  std::string patched;
  bool no_inline = false;
};

int run(const CLI::App& app, Arguments& arguments) {
  auto& options = arguments.options;
  options.inline_sites = !arguments.no_inline;
  if (!arguments.manifest.empty()) options.manifest = arguments.manifest;
  using Outcome = PatchResult::Outcome;
  if (app.got_subcommand("traits")) {
    print_traits(read_traits(options));
    const auto stages = read_insertions(options);
    for (const auto& stage : stages)
      for (const auto& [routine, digest] : stage.insertions.digests)
        fmt::print("{:<12} block {}\n", routine, digest);
    print_stages(stdout, "", stages);
  } else if (app.got_subcommand("verify-off")) {
    const int count = verify_off(options.tree, arguments.patched, options.rules);
    fmt::print("macro off, {} combinations of option guards: the preprocessed texts are equal\n", count);
  } else if (app.got_subcommand("reverse")) {
    const auto result = reverse_tree(options);
    if (options.dry_run) fmt::print("{}", result.diff);
    fmt::print(options.dry_run ? stderr : stdout, "{}\n",
               result.outcome == Outcome::reversed ? (options.dry_run ? "would be reversed" : "reversed")
                                                   : "not patched; nothing to reverse");
  } else {
    const bool check = app.got_subcommand("check");
    if (check) options.dry_run = true;
    const auto result = patch_tree(options);
    const bool diff = options.dry_run && !check;
    if (diff) std::fwrite(result.diff.data(), 1, result.diff.size(), stdout);
    std::FILE* out = diff ? stderr : stdout;
    if (result.outcome == Outcome::already_patched) {
      fmt::print(out, "already patched\n");
    } else {
      fmt::print(out, "{}\n", check ? "can be patched" : options.dry_run ? "would be patched" : "patched");
    }
    print_summary(result, out);
  }
  if (std::fflush(stdout) != 0) throw support::Error("cannot write to standard output");
  return 0;
}

int main_or_throw(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{
      "Replaces CORSIKA's random number routines in a source tree, under a preprocessor macro.\n"
      "Exit status: 0 done, 1 refused (one line on standard error; the tree is untouched), 2 wrong usage."};
  app.require_subcommand(1);
  const auto command = [&](const char* name, const char* help) {
    auto* sub = app.add_subcommand(name, help);
    sub->add_option("--tree", arguments.options.tree, "the unpacked CORSIKA tree")->required();
    sub->add_option("--rules", arguments.options.rules,
                    "rule files (default: those that come with the project)");
    return sub;
  };
  const auto build = [&](CLI::App* sub) {
    sub->add_option("--options", arguments.options.build,
                    "options that CORSIKA is built with, as CERENKOV IACT ATMEXT SLANT: what is said of the "
                    "Cherenkov stage holds for these");
  };
  auto* apply = command("apply", "patch the tree");
  build(apply);
  apply->add_flag("--dry-run", arguments.options.dry_run, "print the unified diff, write nothing");
  apply->add_option("--manifest", arguments.manifest, "leave a JSON manifest of what was done here");
  apply->add_flag("--no-inline", arguments.no_inline,
                  "replace the routines, but leave all call sites as calls");
  auto* reverse = command("reverse", "take the patch out again");
  reverse->add_flag("--dry-run", arguments.options.dry_run, "print the unified diff, write nothing");
  auto* check = command("check", "say whether the tree can be patched; write nothing");
  check->add_flag("--no-inline", arguments.no_inline, "as for apply");
  build(check);
  build(command("traits", "print what was read off each routine"));
  auto* verify =
      command("verify-off", "check that with the macro off a patched tree preprocesses to the stock text");
  verify->add_option("--patched", arguments.patched, "the patched tree; --tree is the stock one")->required();
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
